import { env } from 'cloudflare:workers';
import { utils, write } from '@e965/xlsx';
import { parquetReadObjects } from 'hyparquet';
import LlamaCloudOne from 'llama-cloud-1';
import { describe, expect, it } from 'vitest';
import { call, upload } from '#test/support/client.ts';
import { startWith } from '#test/support/configured.ts';
import { BASE, fetchService } from '#test/support/fetch-service.ts';
import { type JobBody, run } from '#test/support/jobs.ts';

interface Region {
  region_id: string;
  sheet_name: string;
  location: string;
  region_type: string;
  title: string | null;
  description: string | null;
}
type Result = { regions: Region[]; worksheets: { sheet_name: string; title: string | null }[] };

const BOOK = writeBook({
  Tides: [
    ['Tides of March'],
    ['Place', 'Height', 'Safe', '', 'Keeper'],
    ['North', 4.5, true, '', 'Ada'],
    ['South', 5, false, '', 'Grace'],
    [],
    ['Berth', 'Depth'],
    ['A1', 12],
  ],
  Notes: [
    ['', 'North', '', 'South', ''],
    ['Year', 'Low', 'High', 'Low', 'High'],
    ['2024', 1, 2, 3, 4],
    ['2025', 5, 6, 7, 8],
  ],
});

function writeBook(sheets: Record<string, unknown[][]>): Uint8Array {
  const book = utils.book_new();
  for (const [name, rows] of Object.entries(sheets)) {
    utils.book_append_sheet(book, utils.aoa_to_sheet(rows), name);
  }
  return new Uint8Array(write(book, { type: 'array', bookType: 'xlsx' }) as ArrayBuffer);
}

const getResult = (job: JobBody) => job.result as unknown as Result;
const getPlaces = ({ regions }: Result) =>
  regions.map(({ sheet_name, location, region_type }) => `${sheet_name} ${location} ${region_type}`);

async function download(job: JobBody, region: string, view: string, format = 'parquet') {
  const path = `/api/v2/sheets/${job.id}/regions/${region}/result/${view}?format=${format}`;
  const { status, body } = await call<{ url: string }>('GET', path);
  expect(status).toBe(200);
  const { pathname, search } = new URL(body.url);
  const answer = await fetchService('GET', pathname + search, { key: null });
  expect(answer.status).toBe(200);
  return answer;
}
const readParquet = async (answer: Response) => parquetReadObjects({ file: await answer.arrayBuffer() });

describe('a sheets job', () => {
  it('finds the tables of a workbook with their places, titles and typed columns', async () => {
    const file_input = await upload('tides.xlsx', BOOK);
    const job = await run('sheets', { file_input });
    expect(job).toMatchObject({ status: 'COMPLETED', file_input, attempt: 1 });
    expect(getPlaces(getResult(job))).toEqual([
      'Tides A2:C4 table',
      'Tides E2:E4 extra',
      'Tides A6:B7 table',
      'Notes A1:E4 table',
    ]);
    const [first] = getResult(job).regions;
    expect(first).toMatchObject({
      title: 'Tides of March',
      description: '2 rows and 3 columns: Place, Height, Safe',
    });
    expect(getResult(job).worksheets[0]).toMatchObject({ sheet_name: 'Tides', title: 'Tides of March' });
    expect(await readParquet(await download(job, first!.region_id, 'table'))).toEqual([
      { Place: 'North', Height: 4.5, Safe: true },
      { Place: 'South', Height: 5, Safe: false },
    ]);
    const csv = await download(job, first!.region_id, 'table', 'csv');
    expect(csv.headers.get('content-type')).toContain('text/csv');
    expect(await csv.text()).toBe('Place,Height,Safe\r\nNorth,4.5,true\r\nSouth,5,false\r\n');
    const cells = await readParquet(await download(job, first!.region_id, 'cell_metadata'));
    expect(cells).toContainEqual({
      cell: 'B3',
      row_number: 3,
      column_number: 2,
      value: '4.5',
      value_type: 'DOUBLE',
      is_header: false,
    });
  });

  it('flattens headers, crops to a range and selects sheets', async () => {
    const file_input = await upload('tides.xlsx', BOOK);
    const flat = await run('sheets', {
      file_input,
      configuration: { sheet_names: ['Notes'], flatten_hierarchical_tables: true },
    });
    const [region] = getResult(flat).regions;
    expect(await readParquet(await download(flat, region!.region_id, 'table'))).toMatchObject([
      { Year: 2024, 'North / Low': 1, 'North / High': 2, 'South / Low': 3, 'South / High': 4 },
      { Year: 2025 },
    ]);
    const cropped = await run('sheets', {
      file_input,
      configuration: { sheet_names: ['Tides'], extraction_range: 'B2:E3' },
    });
    expect(getPlaces(getResult(cropped))).toEqual(['Tides B2:E3 table']);
  });

  it('reads separated values, with empty lines between tables', async () => {
    const file_input = await upload('harbours.csv', 'Place,Height\nNorth,4\n\n\nBerth,Depth\nA1,"1,5"\n');
    const job = await run('sheets', { file_input });
    expect(getPlaces(getResult(job))).toEqual(['harbours A1:B2 table', 'harbours A5:B6 table']);
    expect(await readParquet(await download(job, 'region-2', 'table'))).toEqual([
      { Berth: 'A1', Depth: '1,5' },
    ]);
  });

  it('refuses files that are no spreadsheets, unknown sheets and invalid ranges', async () => {
    const text = await run('sheets', { file_input: await upload('note.txt', 'The bell rings at nine.') });
    expect(text).toMatchObject({
      status: 'FAILED',
      error_message: expect.stringContaining('no spreadsheet'),
    });
    const file_input = await upload('tides.xlsx', BOOK);
    const none = await run('sheets', { file_input, configuration: { sheet_names: ['Moons'] } });
    expect(none.error_message).toContain('Its sheets: Tides, Notes');
    const body = { file_input, configuration: { extraction_range: 'A0:B' } };
    expect((await call('POST', '/api/v2/sheets', { body })).status).toBe(422);
    const region = `/api/v2/sheets/${none.id}/regions/region-1/result/table`;
    expect((await call('GET', region)).status).toBe(409);
  });
});

it('an unmodified client of release 1.6 creates, lists, reads and deletes a job', async () => {
  const service = startWith({});
  const fetch = (input: RequestInfo | URL, init?: RequestInit) => service(new Request(input, init));
  const apiKey = String(env.BOOTSTRAP_API_KEY);
  const { sheets } = new LlamaCloudOne({ apiKey, baseURL: `${BASE}/compat`, fetch, maxRetries: 0 }).beta;
  const file_id = await upload('tides.xlsx', BOOK);
  const job = await sheets.parse({
    file_id,
    config: { sheet_names: ['Tides'] },
    pollingInterval: 0.05,
    maxInterval: 0.1,
  });
  expect(job).toMatchObject({ status: 'SUCCESS', success: true, file_id, errors: [] });
  expect(job.regions?.map(({ location }) => location)).toEqual(['A2:C4', 'E2:E4', 'A6:B7']);
  expect(job.worksheet_metadata).toMatchObject([{ sheet_name: 'Tides' }]);
  const params = { spreadsheet_job_id: job.id, region_id: job.regions![2]!.region_id! };
  const { url } = await sheets.getResultTable('table', params);
  const file = await (await service(new Request(url))).arrayBuffer();
  expect(await parquetReadObjects({ file })).toEqual([{ Berth: 'A1', Depth: 12 }]);
  const listed: string[] = [];
  for await (const each of sheets.list({ page_size: 50 })) listed.push(each.id);
  expect(listed).toContain(job.id);
  await sheets.deleteJob(job.id);
  await expect(sheets.get(job.id)).rejects.toMatchObject({ status: 404 });
});
