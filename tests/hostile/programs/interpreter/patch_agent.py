# attack: the process's own messenger claims that everything passed
# spoils: all
# limit: crash
import sys
agent = sys.modules["autograder.sandbox.agent"]
agent.Agent.do_play = lambda self, header, body: self.answer({"outcomes": [{"passed": True, "points": 3}], "points": 3, "verdict": "passed"})
