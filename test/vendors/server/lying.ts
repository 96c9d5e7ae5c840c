import type { ServerResponse } from 'node:http';
import { setInterval } from 'node:timers';
import { gzipSync } from 'node:zlib';
import type { WireLie } from '../lies.ts';

/** Honest answer that the lie replaces. */
export interface HonestAnswer {
  status: number;
  contentType: string;
  bytes: Buffer;
}

const MIB = 2 ** 20;
const LONG_LINE_MIB = 100;
const HTML = '<!doctype html><html><body><h1>Please sign in</h1></body></html>';
const ERROR =
  '{"error":{"code":500,"message":"Internal error","status":"INTERNAL"},"errors":["Internal error"]}';

let bomb: Buffer | undefined;
/** Returns a compressed body that expands to more than any driver accepts. */
const getBomb = () => {
  bomb ??= gzipSync(Buffer.alloc(130 * MIB, ' '));
  return bomb;
};

/** Sends an answer with the given lie. Resolves when the answer is sent or the client has disconnected. */
export async function tell(lie: WireLie, honest: HonestAnswer, response: ServerResponse): Promise<void> {
  const done = new Promise<void>((resolve) => response.once('close', resolve));
  const { status, contentType, bytes } = honest;
  const head = (headers: Record<string, string | number> = {}) =>
    response.writeHead(status, { 'content-type': contentType, connection: 'close', ...headers });
  switch (lie) {
    case 'slow bytes without end': {
      head();
      const drip = setInterval(() => response.write(' '), 20);
      response.once('close', () => clearInterval(drip));
      break;
    }
    case 'a content length of 1 TB':
      head({ 'content-length': 10 ** 12 });
      response.write(bytes);
      break;
    case 'a gzip bomb':
      head({ 'content-encoding': 'gzip' }).end(getBomb());
      break;
    case 'an answer without end':
      head();
      response.write(bytes.subarray(0, 1));
      pour(response, ' ', Number.POSITIVE_INFINITY);
      break;
    case 'a line of 100 MB':
      head();
      response.write(contentType.includes('event-stream') ? 'data: "' : '"');
      pour(response, 'x', LONG_LINE_MIB);
      break;
    case 'a content length that is too long':
      head({ 'content-length': bytes.length + 100 });
      response.write(bytes, () => response.destroy());
      break;
    case 'a content length that is too short':
      head({ 'content-length': bytes.length >> 1 }).end(bytes);
      break;
    case 'HTML':
      head({ 'content-type': 'text/html; charset=utf-8' }).end(HTML);
      break;
    case 'JSON that breaks off':
      head().end(bytes.subarray(0, bytes.length >> 1));
      break;
    case 'an error with status 200':
      head({ 'content-type': 'application/json' }).end(ERROR);
      break;
    case 'an empty object':
      head({ 'content-type': 'application/json' }).end('{}');
      break;
    case '204 without a body':
      response.writeHead(204, { connection: 'close' }).end();
  }
  await done;
}

/** Writes a number of mebibytes of one character as fast as the client reads them, and ends the answer. */
function pour(response: ServerResponse, character: string, most: number): void {
  const piece = Buffer.alloc(MIB, character);
  let sent = 0;
  const more = () => {
    while (!response.destroyed && sent < most) {
      sent += 1;
      if (!response.write(piece)) return;
    }
    if (sent >= most) response.end();
  };
  response.on('drain', more);
  more();
}
