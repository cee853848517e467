"""The game "Beat the bound": a player takes the place of the engine, with a budget of questions.

Its rules are those of docs/method.md §2 and §3. It is played in the browser, by ``frontend/game``; here are the rules
once more, in NumPy, to deal puzzles and to search for the best play. Both are compared in the tests.
"""
