// What jsforce, as it is, does on a server of `serve --empty --writable`.
// Usage: node clients_jsforce.cjs URL TOKEN; it prints what it saw as JSON, for a test to judge.
const jsforce = require('jsforce');

const [, , url, token] = process.argv;
const seen = {};

async function connections() {
  const soap = new jsforce.Connection({ loginUrl: url });
  await soap.login('anybody', token);
  const oauth2 = { loginUrl: url, clientId: 'x', clientSecret: 'x' };
  const oauth = new jsforce.Connection({ oauth2 });
  await oauth.login('anybody', token);
  const plain = new jsforce.Connection({ instanceUrl: url, accessToken: token });
  const who = await Promise.all([soap, oauth, plain].map((one) => one.identity()));
  seen.users = [...new Set(who.map((one) => one.user_id))].length;
  seen.urls = [...new Set([soap, oauth, plain].map((one) => one.instanceUrl))];
  await soap.logout();
  return plain;
}

async function single(conn) {
  const made = await conn.sobject('Contact').create({ LastName: 'Jsforce', Email: 'j@crm.example' });
  await conn.sobject('Contact').update({ Id: made.id, FirstName: 'Ann' });
  seen.name = (await conn.sobject('Contact').retrieve(made.id)).Name;
  const found = await conn.sobject('Contact').find({ LastName: 'Jsforce' }, ['Id', 'Name']);
  seen.found = found.length;
  seen.searched = (await conn.search('FIND {Jsforce} RETURNING Contact(Id)')).searchRecords.length;
  const now = Date.now();
  const updated = await conn
    .sobject('Contact')
    .updated(new Date(now - 3600e3).toISOString(), new Date(now + 3600e3).toISOString());
  seen.updated = updated.ids.includes(made.id);
  await conn.sobject('Contact').destroy(made.id);
  const deleted = await conn
    .sobject('Contact')
    .deleted(new Date(now - 3600e3).toISOString(), new Date(now + 3600e3).toISOString());
  seen.deleted = deleted.deletedRecords.map((one) => one.id).includes(made.id);
}

async function around(conn) {
  seen.fieldKeys = Object.keys((await conn.describe('Case')).fields[0]).length;
  seen.objects = (await conn.describeGlobal()).sobjects.length;
  seen.layouts = (await conn.sobject('Case').layouts()).layouts.length;
  seen.compact = (await conn.sobject('Case').compactLayouts()).compactLayouts.length;
  seen.listviews = (await conn.sobject('Case').listviews()).size;
  seen.recent = (await conn.recent()).length;
  seen.tabs = (await conn.tabs()).length;
  seen.theme = (await conn.theme()).themeItems.length;
  seen.actions = (await conn.quickActions()).length;
  seen.limits = (await conn.limits()).DailyApiRequests.Max;
  seen.plan = (await conn.query('SELECT Id FROM Case').explain()).plans.length;
}

async function many(conn) {
  const contacts = [...Array(2500).keys()].map((number) => ({ LastName: `Many${number}` }));
  conn.bulk.pollInterval = 50;
  conn.bulk.pollTimeout = 60000;
  const first = await conn.bulk.load('Contact', 'insert', contacts);
  seen.bulk1 = first.filter((one) => one.success).length;
  conn.bulk2.pollInterval = 50;
  conn.bulk2.pollTimeout = 60000;
  const second = await conn.bulk2.loadAndWaitForResults({
    object: 'Contact',
    operation: 'insert',
    input: contacts,
  });
  seen.bulk2 = second.successfulResults.length;
  const paged = await conn.query("SELECT Id FROM Contact WHERE LastName LIKE 'Many%'", {
    autoFetch: true,
    maxFetch: 10000,
  });
  seen.paged = paged.records.length;
  const text = "SELECT Id, LastName FROM Contact WHERE LastName LIKE 'Many%'";
  seen.queried1 = (await (await conn.bulk.query(text)).toArray()).length;
  seen.queried2 = (await (await conn.bulk2.query(text)).toArray()).length;
}

connections()
  .then(async (conn) => {
    await single(conn);
    await around(conn);
    await many(conn);
    console.log(JSON.stringify(seen));
  })
  .catch((error) => {
    console.error(error, JSON.stringify(seen));
    process.exit(1);
  });
