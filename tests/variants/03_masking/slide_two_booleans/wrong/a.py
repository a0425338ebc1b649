# misconception: trusts-one-convention
slide_two_booleans = "a"
