"""What AI clients reach: one endpoint, one dispatch, one declaration per tool.

`spec` says what a tool is, `tools/` declares them, `registry` collects and checks them, `dispatch` is the only path to
a handler, `server` speaks MCP through the official SDK and `endpoint` is the HTTP around it.
"""
