"""A CRM over its REST API: an org that `serve` serves, or any other that answers as it does.

Knows no tool.

Example: `with RemoteCrm("http://127.0.0.1:8080", token) as crm: crm.query("SELECT Name FROM
Issue__c LIMIT 1")`.
"""

from types import TracebackType

from orgweave.crm.client import CrmConnection
from orgweave.crm.seam import RestRecord
from orgweave.soql.parse import check_text
from orgweave.tools.crm import bare, selected


class RemoteCrm:
    """A CRM elsewhere; close it, or use it in a `with`.

    Args:
        url: the instance URL, such as `http://127.0.0.1:8080`.
        token: the bearer token.
    Raises BadInput where the URL isn't one; its methods, beside QueryRefused, Refused where the
    token isn't taken and Unreachable where nothing gets through.
    """

    def __init__(self, url: str, token: str) -> None:
        self._connection = CrmConnection(url, token)

    def query(self, text: str) -> list[RestRecord]:
        """As Crm.query."""
        check_text(text, "SOQL")
        records, total = self._connection.query(text)
        return selected(text, records, total)

    def search(self, text: str) -> list[RestRecord]:
        """As Crm.search."""
        check_text(text, "SOSL")
        return [bare(record) for record in self._connection.search(text)]

    def close(self) -> None:
        """Closes its connections."""
        self._connection.close()

    def __enter__(self) -> "RemoteCrm":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
