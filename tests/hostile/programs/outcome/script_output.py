# attack: puts scripts into its outputs
# no_trace: @MARK@-xss
from IPython.display import HTML, SVG, Javascript, Markdown, display
display(HTML("<script>alert('@MARK@-xss')</script><img src=x onerror=\"alert('@MARK@-xss')\"><b>fine</b>"))
display(SVG("<svg xmlns='http://www.w3.org/2000/svg'><script>alert('@MARK@-xss')</script></svg>"))
display(Javascript("alert('@MARK@-xss')"))
display(Markdown("<script>alert('@MARK@-xss')</script>"))
class Card:
    def _repr_mimebundle_(self, include=None, exclude=None):
        return {"text/html": "<iframe srcdoc='<script>@MARK@-xss</script>'></iframe>", "application/vnd.jupyter.widget-view+json": {"model_id": "@MARK@-xss"}, "text/plain": "card"}
display(Card())
