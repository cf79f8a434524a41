"""What Loci costs: the calls that people and their AI clients make most, measured over HTTP on a large account.

`python -m benchmarks --help` tells the options; README.md holds the last figures and how to read them.
"""
