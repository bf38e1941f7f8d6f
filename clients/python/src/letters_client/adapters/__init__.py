"""Tools for agent frameworks, a module each: `service_tools(only=…, exclude=…, read_only=…, confirm=…)`."""
