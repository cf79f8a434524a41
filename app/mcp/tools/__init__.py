"""The tools, a module per area: inputs, outputs and handlers that hold no rule of their own."""
