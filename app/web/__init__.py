"""The browser's edge and the endpoints for machines that are not MCP."""
