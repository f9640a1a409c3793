"""Commands that start a server, and the files that hold them, read into a setup; and a setup written as a command.

Nothing is run, and no file that a command names is opened.
"""
