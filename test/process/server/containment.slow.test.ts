import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildPdf, text } from '#test/fixtures/pdf.ts';
import { SyncClient } from '#test/process/pipelines.ts';
import { listRuntimes, serviceRuntime } from '#test/process/runtimes.ts';
import { Service, sleep } from '#test/process/service.ts';
import { PATIENCE_MS } from '#test/support/patience.ts';

// A process that hangs or dies must affect only its own call. The parser of these tests hangs on one file
// name.

const service = new Service({
  PARSER_CONFIG: 'test/support/hanging/wrangler.toml',
  PARSER_SILENCE_SECONDS: '4',
  PARSER_PROCESSES: '1',
  RESTART_WAIT_SECONDS: '1',
});
const sync = new SyncClient(service);
beforeAll(() => service.start());
afterAll(() => service.end());

/** Creates a project and a pipeline with the files and starts indexing. */
async function beginIndexing(files: Record<string, string | Uint8Array<ArrayBuffer>>): Promise<string> {
  const project = await service.call<{ id: string }>('POST', '/api/v1/projects', {
    name: crypto.randomUUID(),
  });
  const inProject = `?project_id=${project.id}`;
  const ids: string[] = [];
  for (const [name, content] of Object.entries(files)) {
    const form = new FormData();
    form.append('upload_file', new File([content], name));
    ids.push((await service.call<{ id: string }>('POST', `/api/v1/files${inProject}`, form)).id);
  }
  const body = { name: crypto.randomUUID() };
  const { id } = await service.call<{ id: string }>('POST', `/api/v1/pipelines${inProject}`, body);
  const entries = ids.map((file_id) => ({ file_id }));
  await service.call('PUT', `/api/v1/pipelines/${id}/files`, entries);
  await service.call('POST', `/api/v1/pipelines/${id}/sync`);
  return id;
}

it('fails a file that hangs the parser and parses other projects meanwhile', async () => {
  const { pid } = serviceRuntime(service);
  const hostile = await beginIndexing({ 'hang.txt': 'Never read.' });
  const other = await beginIndexing({ 'plain.pdf': pdfOfPages(1) });
  expect((await sync.untilFinished(other)).status).toBe('SUCCESS');
  expect((await sync.status(hostile)).status).toBe('IN_PROGRESS');
  const ended = await sync.untilFinished(hostile);
  expect(ended).toMatchObject({ status: 'ERROR', error: [{ message: expect.stringContaining('TIMEOUT') }] });
  expect(service.output).toContain('"reason":"silent"');
  expect(serviceRuntime(service).pid).toBe(pid);
});

it('retries a file whose parser process was killed', async () => {
  const pipeline = await beginIndexing({ 'long.pdf': pdfOfPages(60) });
  for (const { pid, name } of listRuntimes(service))
    if (name.startsWith('parser')) process.kill(pid, 'SIGKILL');
  expect((await sync.untilFinished(pipeline)).status).toBe('SUCCESS');
});

it('restarts the killed service process and continues with queued work', async () => {
  const pipeline = await beginIndexing({ 'a.pdf': pdfOfPages(60), 'b.md': '# B\n\nText.' });
  const { pid } = serviceRuntime(service);
  process.kill(pid, 'SIGKILL');
  await untilAnswered();
  expect(serviceRuntime(service).pid).not.toBe(pid);
  expect((await sync.untilFinished(pipeline)).status).toBe('SUCCESS');
});

it('ends processes of a killed supervisor before it restarts with the same state', async () => {
  const left = listRuntimes(service).map(({ pid }) => pid);
  process.kill(service.group, 'SIGKILL');
  await service.start();
  expect(service.output).toContain(`Ended ${left.length} processes of an earlier Sluice that was killed.`);
  expect(left.filter(isRunning)).toEqual([]);
  const pipeline = await beginIndexing({ 'c.md': '# C\n\nText.' });
  expect((await sync.untilFinished(pipeline)).status).toBe('SUCCESS');
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function untilAnswered(): Promise<void> {
  for (let waited = 0; waited < PATIENCE_MS; waited += 100) {
    const answer = await fetch(`${service.base}/health`).catch(() => undefined);
    if (answer?.ok) return;
    await sleep(100);
  }
  throw new Error('the service did not come back');
}

const pdfOfPages = (count: number) =>
  new Uint8Array(
    buildPdf({
      pages: Array.from({ length: count }, (_, page) => ({
        content: text(72, 700, `Page ${page} tells of the sea.`),
      })),
    }),
  );
