"""Names of what rims and messages can tell, for menus before anything is read."""

TRAIL = "trail"
"""The rim that is no number: the state before, for a while."""

LOOK_TEXTS = {
    "size": "Size of the message",
    "tag": "Tag of the message",
    "late": "How long its receiver has waited",
}
"""What messages' colours can tell, by the names in `message_looks.LOOKS`."""
