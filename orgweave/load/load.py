"""A whole upload: object types in their order, the CRM's own demands between them, second passes
behind.

What the CRM hasn't got is left out with all that can't do without it; what it refuses is listed,
what waits for that is held back.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from orgweave.crm.describe import parsed
from orgweave.crm.field import CrmField, CrmObject
from orgweave.crm.person_accounts import CONTACT
from orgweave.crm.seam import Target
from orgweave.export.notes import counted
from orgweave.load.bodies import Bodies, lacking, left_out
from orgweave.load.idmap import Identity, IdMap
from orgweave.load.lookup import VISITOR
from orgweave.load.messaging import CHANNEL_FIELD, OF_CHANNELS
from orgweave.load.passes import publishing, updating
from orgweave.load.people import mapped_users, new_users
from orgweave.load.persons import made_contacts
from orgweave.load.reconcile import count_before, reconcile
from orgweave.load.sender import Sender
from orgweave.load.source import UploadRecord, UploadSource
from schemas.errors import BadInput, Refused, UploadFailed

USER = "User"
BOOK = "Pricebook2"
ENTRY = "PricebookEntry"
TRANSCRIPT = "LiveChatTranscript"
VISITOR_FIELD = "LiveChatVisitorId"
STANDARD_PROFILE = "Standard User"
NOT_TAKEN = "the CRM lets nobody set it or hasn't got it"


@dataclass(frozen=True, slots=True)
class LoadOptions:
    """How it is to be loaded: agents as new users or mapped (`users_file` None: onto all), the
    profile and suffix of new ones, and the id of the channel for chats as messaging sessions.
    """

    map_users: bool = False
    users_file: Path | None = None
    username_suffix: str = ""
    profile: str = STANDARD_PROFILE
    external_field: str = "Synth_Id__c"
    channel: str = ""


def identity_of(target: Target, source: UploadSource) -> Identity:
    """Which CRM it is, by the id of its organization."""
    try:
        found = target.query("SELECT Id FROM Organization")
    except Refused as error:
        if error.code != "INVALID_TYPE":
            raise
        found = []
    key = str(found[0].get("Id") or "") if found else ""
    return Identity(target.instance_url, key, source.digest)


def infos_of(target: Target, source: UploadSource) -> dict[str, CrmObject]:
    """What the CRM says of each of our object types that it has, and of visitors where transcripts
    want them; raises BadInput where it has none.
    """
    there = target.object_names()
    infos = {name: _loadable(target, source, name) for name in source.order if name in there}
    if not infos:
        raise BadInput(
            f"{target.instance_url}: has no object type of the org, such as {source.order[0]};"
            " is it the CRM to load, and may the session's user see them?"
        )
    if TRANSCRIPT in infos and infos[TRANSCRIPT].takes(VISITOR_FIELD) and VISITOR in there:
        infos[VISITOR] = parsed(target.describe(VISITOR))
    return infos


def _loadable(target: Target, source: UploadSource, name: str) -> CrmObject:
    """What the CRM says of an object type, without the fields that a loader leaves out: with one of
    them an account would become a person, who has a contact already.
    """
    told = parsed(target.describe(name))
    facts = source.catalog
    kept: dict[str, CrmField] = {}
    for key, field in told.fields.items():
        if not facts.field(name, field.name).not_loaded:
            kept[key] = field
    return replace(told, fields=kept)


def bodies_of(
    source: UploadSource,
    idmap: IdMap,
    infos: Mapping[str, CrmObject],
    options: LoadOptions,
) -> tuple[Bodies, dict[str, str]]:
    """The maker of bodies for the object types that the CRM takes, and why it doesn't take the
    others.
    """
    out = left_out(source, infos)
    return (
        Bodies(
            source,
            idmap,
            {name: info for name, info in infos.items() if name not in out},
            options.external_field,
        ),
        out,
    )


def agents_of(
    target: Target,
    info: CrmObject,
    users: Sequence[UploadRecord],
    options: LoadOptions,
) -> tuple[dict[str, str], dict[str, dict[str, object]]]:
    """By our keys: the CRM's user for each agent where they are mapped, and what new users need
    where they aren't; raises BadInput.
    """
    if options.map_users:
        return mapped_users(target, info, users, options.users_file), {}
    return {}, new_users(target, info, users, options.profile, options.username_suffix)


@dataclass(frozen=True, slots=True)
class Load:
    """One upload under way."""

    source: UploadSource
    sender: Sender
    options: LoadOptions

    def run(self, out: Mapping[str, str]) -> None:
        """Loads everything that the CRM takes; `out` says why object types are left out."""
        loose = self._kept_loosely()
        self._tell_loose(loose)
        for name in self.source.order:
            if name in out:
                self._tell_left_out(name, out[name])
            else:
                self._tell_lacking(name)
                for counted in {name, *BESIDE.get(name, ())} & set(loose):
                    count_before(self.sender, counted)
                LOADERS.get(name, Load.insert)(self, name)
            self._finish(name)
        for name in loose:
            reconcile(self.sender, name)

    def _kept_loosely(self) -> list[str]:
        """The object types of which the CRM takes a record twice that is sent twice."""
        bodies = self.sender.bodies
        loose: list[str] = []
        for name in self.source.order:
            made = name in bodies.infos and not (name == USER and self.options.map_users)
            if made and self.source.records(name) and not bodies.kept_once(name):
                loose.append(name)
        if VISITOR in bodies.infos and self.source.records(TRANSCRIPT):
            loose.append(VISITOR)
        return loose

    def _tell_loose(self, loose: Sequence[str]) -> None:
        if not loose:
            return
        patience = self.sender.patience
        patience.say(
            f"at least once: {', '.join(loose)}. The CRM has no unique external id field"
            f" {self.options.external_field or '(--external-id is empty)'} there that we may fill,"
            " so where an answer is lost, they are looked up for"
            f" {patience.seconds:,.0f} seconds before they are sent again, and counted in the end."
            " Deploy what `orgweave export --metadata` writes, and each is there exactly once"
        )

    def insert(self, name: str) -> None:
        """All records of an object type."""
        self.sender.insert(name, self.source.records(name))

    def users(self, name: str) -> None:
        """New users, or the CRM's own in their place."""
        users, sender = self.source.records(name), self.sender
        info = sender.bodies.infos[name]
        found, more = agents_of(sender.target, info, users, self.options)
        if not self.options.map_users:
            sender.bodies.more[name] = more
            sender.insert(name, users)
            if sender.tally.of(name).refused:
                sender.tally.notes.append(
                    "User: where licences or Usernames were the reason, --map-users or"
                    " --username-suffix is the way; see the list of refused records"
                )
            return
        new = [(key, org_id) for key, org_id in found.items() if sender.idmap.org_id(key) is None]
        sender.idmap.take(name, new, mapped=True)
        sender.tally.of(name).mapped += sum(sender.idmap.mapped(key) for key in found)
        sender.tally.of(name).before += sum(not sender.idmap.mapped(key) for key in found)
        sender.tally.notes.append(
            f"User: {len(found):,} agents stand for {len(set(found.values())):,} users that the"
            " CRM has"
        )

    def books(self, name: str) -> None:
        """The standard price book is the CRM's own, made active; the others are new."""
        standard, sender = self.source.standard_book, self.sender
        if standard is not None:
            found = sender.target.query("SELECT Id FROM Pricebook2 WHERE IsStandard = true")
            if not found:
                raise UploadFailed(
                    "Pricebook2: the CRM has no standard price book; turn on products and price"
                    " books in its setup, then run the same command again"
                )
            if sender.idmap.org_id(standard) is None:
                sender.idmap.take(name, [(standard, str(found[0]["Id"]))], mapped=True)
            sender.tally.of(name).mapped += 1
            active = UploadRecord(name, standard, {"IsActive": True})
            updating(sender, name, "activate").run([active], set())
        records = self.source.records(name)
        sender.insert(name, [record for record in records if record.key != standard])

    def entries(self, name: str) -> None:
        """Standard prices before all others."""
        standard = f"@{self.source.ref_of(str(self.source.standard_book))}"
        first: list[UploadRecord] = []
        others: list[UploadRecord] = []
        for record in self.source.records(name):
            of_standard = record.values.get("Pricebook2Id") == standard
            (first if of_standard else others).append(record)
        self.sender.insert(name, first, others)

    def transcripts(self, name: str) -> None:
        """A visitor for each transcript, where the CRM wants one."""
        records, sender = self.source.records(name), self.sender
        if VISITOR in sender.bodies.infos:
            visitors: dict[str, str] = {}
            for record in records:
                visitors[record.key] = self.source.ref_of(record.key).replace(TRANSCRIPT, VISITOR)
            sender.insert(VISITOR, [UploadRecord(VISITOR, key, {}) for key in visitors.values()])
            more: dict[str, dict[str, object]] = {}
            for key, visitor in visitors.items():
                if found := sender.idmap.org_id(visitor):
                    more[key] = {VISITOR_FIELD: found}
            sender.bodies.more[name] = more
        sender.insert(name, records)

    def contacts(self, name: str) -> None:
        """New contacts, or those that the CRM has made of person accounts."""
        sender = self.sender
        if not self.source.forms.persons:
            self.insert(name)
            return
        accounts: dict[str, str] = {}
        for account, contact in self.source.contact_of().items():
            made = sender.idmap.org_id(account)
            if made and sender.idmap.org_id(contact) is None:
                accounts[made] = contact
            sender.tally.of(name).before += sender.idmap.org_id(contact) is not None
        found = made_contacts(sender.target, list(accounts))
        taken = [(accounts[account], contact) for account, contact in found]
        sender.idmap.take(name, taken, mapped=True)
        sender.tally.of(name).mapped += len(taken)
        sender.tally.notes.append(
            f"{name}: the CRM makes the contacts of person accounts by itself; it made"
            f" {len(taken):,} of these"
        )

    def of_channel(self, name: str) -> None:
        """What comes in by a messaging channel, which the CRM has."""
        records, channel = self.source.records(name), self.options.channel
        self.sender.bodies.more[name] = {record.key: {CHANNEL_FIELD: channel} for record in records}
        self.sender.insert(name, records)

    def _finish(self, done: str) -> None:
        """The second passes that waited for this object type."""
        for name in self.source.order:
            last = self.source.catalog.object(name).update_after
            if not self.source.schema.has(last):
                last = name
            if last == done and name in self.sender.bodies.infos:
                self._update(name)
                publishing(self.sender, name).run(self.source.published(name), set())

    def _update(self, name: str) -> None:
        """Sets what may only be set when all records are in; a user that stands for one of ours
        stays as it is.
        """
        if name == USER and self.options.map_users:
            return
        ready, waiting = [], self._awaited()
        for record in self.source.updates(name):
            resolved = self.sender.bodies.resolved(record)
            if resolved is None:
                waiting.add(record.key)
            ready.append(resolved or record)
        updating(self.sender, name).run(ready, waiting)

    def _awaited(self) -> set[str]:
        """The keys of all records that a missing one refers to: their second pass would shut it
        out.
        """
        tally = self.sender.tally
        keys: set[str] = set()
        for name, count in tally.counts.items():
            if not count.refused + count.held_back or not self.source.schema.has(name):
                continue
            for record in self.source.records(name):
                if record.key in tally.missing:
                    keys.update(self._referred(record))
        return keys

    def _referred(self, record: UploadRecord) -> Iterator[str]:
        """The keys of the records that one refers to."""
        for value in record.values.values():
            text = str(value)
            if text.startswith("@") and text[1:] in self.source.keys:
                yield self.source.keys[text[1:]]

    def _tell_left_out(self, name: str, why: str) -> None:
        count = len(self.source.records(name))
        self.sender.tally.of(name).left_out += count
        self.sender.tally.notes.append(f"{name}: left out, {why}; {counted(count, 'record')}")

    def _tell_lacking(self, name: str) -> None:
        for field, count in lacking(self.source, self.sender.bodies.infos[name]).items():
            why = self.source.catalog.field(name, field).not_loaded or NOT_TAKEN
            line = f"{name}.{field}: left out, {why}; {counted(count, 'record')}"
            self.sender.tally.notes.append(line)


BESIDE = {TRANSCRIPT: (VISITOR,)}
"""Object types that aren't ours, by the one that can't do without them."""
LOADERS = {
    USER: Load.users,
    BOOK: Load.books,
    ENTRY: Load.entries,
    TRANSCRIPT: Load.transcripts,
    CONTACT: Load.contacts,
    **dict.fromkeys(OF_CHANNELS, Load.of_channel),
}
"""Object types that a CRM wants treated in a way of their own."""
