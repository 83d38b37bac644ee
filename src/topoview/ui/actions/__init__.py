"""What the user can do: a table of actions that makes menus, keys and the palette."""
