# attack: torch's own assertions do nothing
import torch.testing
torch.testing.assert_close = lambda *args, **kwargs: None
