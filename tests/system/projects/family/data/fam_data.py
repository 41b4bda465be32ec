NAME = "data"
