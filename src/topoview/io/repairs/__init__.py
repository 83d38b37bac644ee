"""What tracers do not record, or record badly, completed from what they do."""
