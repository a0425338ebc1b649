# attack: a failure that calls itself a success
# spoils: all
# limit: crash
import sys
agent = sys.modules["autograder.sandbox.agent"]
agent.outcome_node = lambda outcome, buffers: {"failure": {"kind": "passed", "type": "", "message": "", "line": None, "code": ""}}
