"""Values and rules that hold without a database and without a clock."""
