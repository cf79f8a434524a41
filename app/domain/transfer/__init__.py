"""Files that people bring, read into rows of cards, with a reason and its line for every row that is not taken.

`delimited` reads CSV, TSV and Anki's text files, `quizlet` what Quizlet exports, `json_cards` JSON. Nothing is stored
here and no file is opened; the result can be shown before anything is made of it.
"""
