/**
 * Measures how long retrieval in one project takes while documents of another project are parsed: a PDF of
 * 500 pages, a PDF made to exhaust a parser, and a hundred office files. The results are compared with the
 * same service when it is idle.
 * Run: npm run bench:isolation
 */
import { strToU8, zipSync } from 'fflate';
import { hugeBitonalImage } from '#test/fixtures/huge-image.ts';
import { buildPdf, image, paragraph } from '#test/fixtures/pdf.ts';
import { Service, sleep } from '#test/process/service.ts';

/**
 * Duration in milliseconds for which queries are sent to an idle service. Each query is sent after the answer
 * to the previous one.
 */
const IDLE_MS = 4_000;
/** Maximum duration in milliseconds for which queries are sent while the documents are parsed. */
const MOST_MS = 30_000;
/** Target for the p95 under load, as a multiple of the idle p95. */
const MOST_RATIO = 2;

const service = new Service();
await service.start();
const rows: Record<string, unknown>[] = [];
let idleP95: number | undefined;
try {
  const queried = await createPipeline(await createProject('asked'), { 'notes.md': buildNotes() });
  await waitForEnd(queried);
  const loading = await createProject('loud');
  await measure('idle', queried);
  await measure(
    'a PDF of 500 pages',
    queried,
    await createPipeline(loading, { 'long.pdf': buildLongPdf(500) }),
  );
  await measure(
    'a hostile PDF',
    queried,
    await createPipeline(loading, { 'hostile.pdf': await buildHostilePdf() }),
  );
  await measure('100 office files', queried, await createPipeline(loading, buildOfficeFiles(100)));
} finally {
  await service.end();
}
console.table(rows);
console.log(
  "Durations of the second project's retrievals in milliseconds. Parsing runs in separate processes. " +
    `The target is a p95 of at most ${MOST_RATIO} times the idle one.`,
);
process.exit(0);

async function createProject(name: string): Promise<string> {
  return (
    await service.call<{ id: string }>('POST', '/api/v1/projects', { name: `${name} ${crypto.randomUUID()}` })
  ).id;
}

async function createPipeline(
  project: string,
  files: Record<string, string | Uint8Array<ArrayBuffer>>,
): Promise<string> {
  const ids: string[] = [];
  for (const [name, content] of Object.entries(files)) {
    const form = new FormData();
    form.append('upload_file', new File([content], name));
    ids.push((await service.call<{ id: string }>('POST', `/api/v1/files?project_id=${project}`, form)).id);
  }
  const { id } = await service.call<{ id: string }>('POST', `/api/v1/pipelines?project_id=${project}`, {
    name: crypto.randomUUID(),
  });
  await service.call(
    'PUT',
    `/api/v1/pipelines/${id}/files`,
    ids.map((file_id) => ({ file_id })),
  );
  await service.call('POST', `/api/v1/pipelines/${id}/sync`);
  return id;
}

async function readStatus(pipeline: string): Promise<string> {
  return (await service.call<{ status: string }>('GET', `/api/v1/pipelines/${pipeline}/status`)).status;
}

async function waitForEnd(pipeline: string): Promise<void> {
  while (!/SUCCESS|ERROR/.test(await readStatus(pipeline))) await sleep(100);
}

async function measure(load: string, queried: string, working?: string): Promise<void> {
  const times: number[] = [];
  const start = performance.now();
  let state = working ? 'IN_PROGRESS' : 'idle';
  let seconds = 0;
  for (;;) {
    const elapsed = performance.now() - start;
    const isOver = /SUCCESS|ERROR|idle/.test(state);
    if (isOver && seconds === 0) seconds = elapsed / 1000;
    if (elapsed > MOST_MS || (isOver && (working || elapsed > IDLE_MS))) break;
    const before = performance.now();
    await service.call('POST', `/api/v1/pipelines/${queried}/retrieve`, {
      query: 'Who keeps the lighthouse?',
    });
    times.push(performance.now() - before);
    if (working && times.length % 5 === 0) state = await readStatus(working);
  }
  times.sort((a, b) => a - b);
  const quantile = (share: number) => times[Math.floor(share * (times.length - 1))] ?? Number.NaN;
  const p95 = quantile(0.95);
  idleP95 ??= p95;
  rows.push({
    load,
    queries: times.length,
    p50: Math.round(quantile(0.5)),
    p95: Math.round(p95),
    worst: Math.round(quantile(1)),
    'p95 / idle p95': (p95 / idleP95).toFixed(1),
    'load took, s': working ? seconds.toFixed(1) : '',
    end: state,
  });
}

function buildNotes(): string {
  const lines = Array.from(
    { length: 400 },
    (_, at) => `Note ${at}: the lighthouse of bay ${at % 37} is kept by keeper ${at}.`,
  );
  return `# Lighthouses\n\n${lines.join('\n\n')}\n`;
}

function buildLongPdf(pages: number): Uint8Array<ArrayBuffer> {
  const lines = (page: number) =>
    Array.from(
      { length: 45 },
      (_, at) => `Line ${at} of sheet ${page} speaks of ballast, tides and harbour dues again.`,
    );
  return new Uint8Array(
    buildPdf({
      pages: Array.from({ length: pages }, (_, page) => ({ content: paragraph(72, 720, lines(page)) })),
    }),
  );
}

/** Returns a PDF of eight pages, each with a picture of 900 million pixels. */
async function buildHostilePdf(): Promise<Uint8Array<ArrayBuffer>> {
  const picture = await hugeBitonalImage(30_000);
  return new Uint8Array(
    buildPdf({ pages: Array(8).fill({ content: image(0, 72, 100, 400, 400), images: [picture] }) }),
  );
}

function buildOfficeFiles(count: number): Record<string, Uint8Array<ArrayBuffer>> {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`letter-${at}.docx`, buildLetter(at)]));
}

function buildLetter(number: number): Uint8Array<ArrayBuffer> {
  const text = (at: number) =>
    `<w:p><w:r><w:t>Paragraph ${at} of letter ${number} is about dues.</w:t></w:r></w:p>`;
  const body = Array.from({ length: 300 }, (_, at) => text(at)).join('');
  const parts = {
    '[Content_Types].xml': '<Types/>',
    '_rels/.rels':
      '<Relationships><Relationship Id="r" Type="http://x/officeDocument" Target="word/document.xml"/></Relationships>',
    'word/document.xml': `<w:document><w:body>${body}</w:body></w:document>`,
  };
  return new Uint8Array(
    zipSync(Object.fromEntries(Object.entries(parts).map(([name, xml]) => [name, strToU8(xml)]))),
  );
}
