"""The command line: parses, calls, renders, and turns results into exit codes.

Modules with commands load nothing heavy before a command needs it, so that light ones stay quick.
"""
