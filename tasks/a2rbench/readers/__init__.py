"""Models that read answers: a judge that quotes what the program did not find, analysts that classify."""
