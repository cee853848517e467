"""The pages of the app, and what they share.

A package of its own, so that no other folder or package called ``pages`` takes its place, wherever the app is started.
"""
