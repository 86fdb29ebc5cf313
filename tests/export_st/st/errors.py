class StError(Exception):
    """What is wrong with a program, and in which line."""

    def __init__(self, line, message):
        super().__init__(f"line {line}: {message}")
        self.line = line
