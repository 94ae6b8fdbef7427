"""Notebooks and the JupyterLab that they need."""

import re

import pytest
from apps_client import API
from harness import ROOT

# Where it really is: a container's PATH says that, too, and .cache may be a link.
ENVIRONMENT = (ROOT / ".cache/jupyter").resolve()


def notebook(name, image="example/jupyter:1", **container):
    container = {"name": "notebook", "image": image, "volumeMounts": [{"name": "home", "mountPath": "/t9k/mnt"}],
                 **container}
    volume = {"name": "home", "persistentVolumeClaim": {"claimName": "home"}}
    return {"apiVersion": API, "kind": "Notebook", "metadata": {"name": name},
            "spec": {"type": "jupyter", "template": {"spec": {"containers": [container], "volumes": [volume]}}}}


def make_jupyter(server):
    """JupyterLab, as `trainyard notebook setup` installs it; made once for all tests."""
    made = server.cli("notebook", "setup", "--dir", ENVIRONMENT, timeout=600)
    if made.code != 0 and re.search("from versions: none|[Cc]onnection|timed out", made.text):
        pytest.skip("JupyterLab cannot be installed: PyPI is out of reach")
    assert made.code == 0, repr(made)
