# attack: the messenger adds points to its answer
import sys
agent = sys.modules["autograder.sandbox.agent"]
answer = agent.Agent.answer
agent.Agent.answer = lambda self, header, buffers=None: answer(self, dict(header, points=3.0, verdict="passed", status="passed"), buffers)
