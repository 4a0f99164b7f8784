"""Design, prove and simulate routing for HPC interconnects.

>>> import turnwise
>>> study = turnwise.Study({
...     "network": {"kind": "torus", "sizes": [4, 4]},
...     "routing": {"kind": "dimension-order"},
...     "traffic": {"pattern": "uniform", "load": 0.1},
... })
>>> study.run().table["accepted_load"].round(1)
array([0.1])
"""

from turnwise._errors import Problem, StudyError, TurnwiseError
from turnwise._native import version as _version
from turnwise._network import Network
from turnwise._proof import Proof, Routing
from turnwise._results import Failure, Results
from turnwise._study import Study
from turnwise._table import Table

__version__: str = _version()

__all__ = [
    "Failure",
    "Network",
    "Problem",
    "Proof",
    "Results",
    "Routing",
    "Study",
    "StudyError",
    "Table",
    "TurnwiseError",
    "__version__",
]
