import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SharedService } from '../../test/process/shared-client.ts';
import { launch, signIn, type Visit, visit } from './support/browser.ts';
import { furnish } from './support/furnished.ts';
import { eventually } from './support/papers.ts';

const service = new SharedService();
let browser: Browser;
let viewerKey: string;
/** Each screen with a control that writes, or `undefined` if the screen has none. */
let screens: [path: string, writing: string | undefined][];

const SCHEMA = { type: 'object', properties: { title: { type: 'string' } } };
const RULES = [{ type: 'manual', description: 'A manual that explains how a harbour works' }];

/** Buttons that change nothing in the project, by their names. Viewers may have their own conversations. */
const READING = [
  /^(?:Code|Columns|Search|Compare|Parameters|Reset|Reset alpha|Clear|Show all)\b/,
  /^(?:Copy|Copied|Download|Export|JSON|CSV|Markdown|Text)\b/,
  /^(?:Previous|Next|Older|Newer|Newest|Zoom|Fit|Page|Open|Details|Show|Expand|Collapse|Chunk|Source)\b/,
  // Blocks of a parsed page, which highlight their place in the picture.
  /^(?:Heading|Paragraph|List|Table|Figure|Code|Page header|Page footer) \d+/,
  /^(?:New conversation|Conversations|Actions: |Send|Ask|Stop)/,
  // Zoom, and filters by state with the number of files.
  /^(?:\d+%|(?:All|Ready|Partly ready|Failed|Waiting|Pending|Running|Cancelled) [\d,]+)$/,
  // A user's own browsers, whatever the role.
  /^Sign out/,
  // The fields of a form that cannot be submitted.
  /^(?:Add a field|Add a type|Add filter|Edit as JSON|Edit in rows|Check|Remove type)/,
];

async function call<Result extends object>(path: string, body: object, method = 'POST') {
  return service.call<Result & { id: string }>(method, path, body);
}

beforeAll(async () => {
  await service.start();
  const { pipelineId, fileId } = await furnish(service);
  const source = await call('/api/v1/data-sources', {
    name: 'Papers',
    source_type: 'SOURCE_9_BUCKET',
    component: {
      bucket: 'papers',
      cloud_access_id: 'nobody',
      cloud_access_secret: 'nothing',
      bucket_endpoint_url: 'http://127.0.0.1:9',
    },
  });
  await call(`/api/v1/pipelines/${pipelineId}/data-sources`, [{ data_source_id: source.id }], 'PUT');
  const retriever = await call('/api/v1/retrievers', {
    name: 'Everything',
    pipelines: [{ pipeline_id: pipelineId }],
  });
  const parse = await call('/api/v2/parse', { file_id: fileId });
  const extract = await call('/api/v2/extract', {
    file_input: fileId,
    configuration: { data_schema: SCHEMA },
  });
  const classify = await call('/api/v2/classify', { file_input: fileId, configuration: { rules: RULES } });
  const batch = await call('/api/v2/batches', {
    file_ids: [fileId],
    job_type: 'extract',
    configuration: { data_schema: SCHEMA },
  });
  const questionSet = await call('/api/v1/evaluations/question-sets', { name: 'Harbour' });
  await call(`/api/v1/evaluations/question-sets/${questionSet.id}/questions`, {
    questions: [{ text: 'How deep may a ship be?', expected_passages: [{ text: 'takes ships' }] }],
  });
  const run = await call('/api/v1/evaluations/runs', {
    question_set_id: questionSet.id,
    pipeline_id: pipelineId,
  });
  const truthSet = await call('/api/v1/evaluations/truth-sets', { name: 'Manuals', kind: 'classification' });
  await call(`/api/v1/evaluations/truth-sets/${truthSet.id}/truths`, {
    truths: [{ file_id: fileId, type: 'manual' }],
  });
  const accuracyRun = await call('/api/v1/evaluations/accuracy-runs', {
    truth_set_id: truthSet.id,
    classify_configuration: { rules: RULES },
  });
  await call('/api/v1/beta/webhook-configs', { webhook_url: 'https://hooks.example.com/sluice' });
  viewerKey = (await call<{ redacted_api_key: string }>('/api/v1/api-keys', { role: 'viewer' }))
    .redacted_api_key;
  browser = await launch();
  const index = `/indexes/${pipelineId}`;
  screens = [
    ['/indexes', 'New index'],
    [index, 'Sync'],
    [`${index}/playground?q=berths`, undefined],
    [`${index}/files`, 'Upload folder'],
    [`${index}/files/${fileId}`, undefined],
    [`${index}/sources`, 'Remove Papers'],
    [`${index}/runs`, undefined],
    [`${index}/settings`, 'Save'],
    [`${index}/chat`, undefined],
    ['/files', 'Upload folder'],
    [`/files/${fileId}`, 'Add to index'],
    ['/parse', 'Parse'],
    [`/parse/${parse.id}`, 'Delete'],
    ['/extract', 'Extract'],
    [`/extract/${extract.id}`, undefined],
    ['/classify', 'Classify'],
    [`/classify/${classify.id}`, undefined],
    ['/batches', undefined],
    ['/batches/new', 'Start batch'],
    [`/batches/${batch.id}`, 'Delete'],
    ['/evaluations', 'New question set'],
    [`/evaluations/sets/${questionSet.id}`, 'Add question'],
    [`/evaluations/runs/${run.id}`, 'Delete'],
    [`/evaluations/truth-sets/${truthSet.id}`, 'Add file'],
    [`/evaluations/accuracy-runs/${accuracyRun.id}`, 'Delete'],
    ['/retrievers', 'New retriever'],
    [`/retrievers/${retriever.id}`, 'Edit'],
    ['/connections', 'New data source'],
    ['/webhooks', 'New endpoint'],
    ['/usage', undefined],
    ['/keys', 'New key'],
    ['/connect', undefined],
    ['/team', undefined],
    ['/audit-log', undefined],
    ['/projects', undefined],
    ['/about', undefined],
  ];
}, 300_000);
afterAll(async () => {
  await browser?.close();
});

/** Returns the accessible names of the buttons of a screen that can be pressed. */
async function listEnabledButtons(page: Page): Promise<string[]> {
  const main = page.getByRole('main');
  await main.getByRole('heading', { level: 1 }).waitFor();
  await eventually(() => main.getByText(/^Loading/).count()).toBe(0);
  return main.locator('button:enabled').evaluateAll((buttons) =>
    buttons
      .filter((button) => !['tab', 'option', 'switch'].includes(button.role ?? ''))
      // Headers of columns sort.
      .filter((button) => !button.closest('th, [role=columnheader]'))
      .map((button) => button.ariaLabel ?? button.textContent.trim()),
  );
}

/** Visits every screen with a key and returns its enabled buttons by path. */
async function visitScreens(key: string, at: Visit): Promise<Map<string, string[]>> {
  await signIn(at.context, service, key);
  const found = new Map<string, string[]>();
  for (const [path, writing] of screens) {
    await at.open(path);
    if (writing) await at.page.getByRole('button', { name: writing, exact: true }).first().waitFor();
    // Buttons can change while the page is read: an index that begins to sync offers to cancel instead.
    if (writing && key === service.key) {
      await eventually(() => listEnabledButtons(at.page)).toContain(writing);
    }
    found.set(path, await listEnabledButtons(at.page));
  }
  return found;
}

it('lets viewers press no button that writes, on any screen', async () => {
  const [ours, theirs] = await Promise.all([
    visit(browser, service, { signedIn: false }),
    visit(browser, service, { signedIn: false }),
  ]);
  const ofAdmin = await visitScreens(service.key, ours);
  const ofViewer = await visitScreens(viewerKey, theirs);
  const writing = [...ofViewer].map(([path, names]) => [
    path,
    names.filter((name) => !READING.some((pattern) => pattern.test(name))),
  ]);
  expect(Object.fromEntries(writing.filter(([, names]) => names!.length > 0))).toEqual({});
  // The buttons that are named above can be pressed by others.
  for (const [path, name] of screens) if (name) expect(ofAdmin.get(path), path).toContain(name);
  await ours.end();
  await theirs.end();
});

it('ignores shortcuts and dropped files of viewers', async () => {
  const visitor = await visit(browser, service, { signedIn: false });
  await signIn(visitor.context, service, viewerKey);
  const sent: string[] = [];
  visitor.page.on('request', (request) => {
    if (request.method() !== 'GET') sent.push(`${request.method()} ${request.url()}`);
  });
  await visitor.open('/indexes?new=true');
  const create = visitor.page.getByRole('button', { name: 'Create', exact: true });
  await create.waitFor();
  expect(await create.isDisabled()).toBe(true);
  await visitor.page.getByRole('dialog').getByLabel('Name').fill('Mine');
  await visitor.page.keyboard.press('Enter');
  await visitor.open('/files');
  await visitor.page.getByRole('grid').waitFor();
  await visitor.page.evaluate(() => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File(['The ferry goes at nine.'], 'ferry.txt'));
    document.querySelector('h1')!.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true }));
  });
  await visitor.page.getByRole('link', { name: 'About' }).click();
  await visitor.page.getByRole('heading', { level: 1, name: 'About' }).waitFor();
  expect(sent).toEqual([]);
  await visitor.end();
});
