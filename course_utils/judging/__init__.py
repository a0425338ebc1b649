"""How answers are judged: what an exercise is, how it is played, compared, judged and shown. No
secrets: those are in exercises/."""
