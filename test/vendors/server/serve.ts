import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, type Behaviour, Refused, type VendorRequest } from '../behaviour.ts';
import type { Fault, Seen } from '../protocol.ts';
import { type Allowed, type Arrived, NotAllowed } from './description.ts';
import type { Session, Vendor } from './session.ts';

/** Response to send. `end` describes how to break off, if it is incomplete. */
export interface Written {
  status: number;
  headers: Record<string, string>;
  bytes: Buffer;
  end?: 'silence' | 'silence within' | 'cut';
}

const JSON_TYPE = { 'content-type': 'application/json' };
const json = (status: number, body: unknown): Written => ({
  status,
  headers: JSON_TYPE,
  bytes: Buffer.from(JSON.stringify(body)),
});

export interface Incoming {
  method: string;
  url: URL;
  headers: Record<string, string>;
  text: string;
}

/** Answers one request. Requests that the description does not allow are rejected and recorded. */
export async function serve(session: Session, incoming: Incoming): Promise<Written> {
  const { method, url, text } = incoming;
  const headers = { ...incoming.headers, host: url.host };
  const seen: Seen = { method, url: url.href, headers, body: readable(text) };
  session.seen.push(seen);
  const vendor = session.find(url);
  if (!vendor) {
    seen.refused = `no vendor of this test is at ${url.origin}`;
    return json(404, { error: seen.refused });
  }
  const { behaviour, settings, path } = vendor;
  seen.vendor = behaviour.name;
  const arrived: Arrived = { method, path, search: url.searchParams, headers, text };
  let written: Written;
  try {
    const allowed = vendor.description.allow(arrived);
    seen.operation = allowed.operation;
    const request: VendorRequest = {
      ...{ ...allowed, method, url, headers, text, settings, memory: session.memory, trouble: undefined },
      note: (value) => {
        seen.note = value;
      },
    };
    const wrong = behaviour.authenticate(request);
    if (wrong) throw new NotAllowed(wrong.status, wrong.message, allowed.operation);
    const fault = session.nextFault(allowed.operation);
    written = await faulty(fault, request, (trouble) => answered(session, vendor, { ...request, trouble }));
  } catch (error) {
    if (!(error instanceof NotAllowed)) throw error;
    seen.refused = error.message;
    const body = behaviour.error(error.status, error.message);
    if (error.operation !== undefined) held(session, vendor, error.operation, error.status, [body]);
    written = json(error.status, body);
  }
  seen.status = written.status;
  return written;
}

async function answered(session: Session, vendor: Vendor, request: VendorRequest): Promise<Written> {
  const { behaviour } = vendor;
  const operation = behaviour.operations[request.operation];
  try {
    if (!operation) throw new Error(`${behaviour.name} has no behaviour for ${request.operation}`);
    const answer = await answerRequest(vendor, operation, request);
    const { written, parts } = writeAnswer(answer);
    if (!request.trouble && !request.settings.nonsense) {
      held(session, vendor, request.operation, written.status, parts, written.headers['content-type']);
    }
    return written;
  } catch (error) {
    session.mistakes.push(String((error as Error).stack));
    return json(500, { error: 'a mistake of the test server' });
  }
}

async function answerRequest(
  { behaviour }: Vendor,
  operation: Behaviour['operations'][string],
  request: VendorRequest,
): Promise<Answer> {
  try {
    return await operation.answer(request);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return { status: error.status, body: behaviour.error(error.status, error.message) };
  }
}

function held(
  session: Session,
  { description }: Vendor,
  operation: Allowed['operation'],
  status: number,
  parts: unknown[],
  contentType: string | undefined = JSON_TYPE['content-type'],
): void {
  const wrong = description.wrongAnswer(operation, status, contentType, parts);
  if (wrong) session.mistakes.push(wrong);
}

/**
 * Placeholder for numbers that JSON cannot represent. It is written as a number that parsers read as
 * infinite.
 */
const TOO_LARGE = '<too large a number>';
const serialize = (value: unknown) =>
  JSON.stringify(value, (_, part) => (part === Number.POSITIVE_INFINITY ? TOO_LARGE : part)).replaceAll(
    JSON.stringify(TOO_LARGE),
    '1e999',
  );

/** Serializes an answer, and returns its JSON for validation. */
function writeAnswer({ status = 200, headers = {}, body, events, raw }: Answer) {
  const of = (contentType: string | undefined, bytes: string | Uint8Array): Written => ({
    status,
    headers: { ...(contentType && { 'content-type': contentType }), ...headers },
    bytes: Buffer.from(bytes as Uint8Array),
  });
  if (raw) return { written: of(raw.contentType, raw.bytes), parts: [] };
  if (events) {
    const lines = events.map(({ event, data }) => {
      const written = typeof data === 'string' ? data : serialize(data);
      return `${event ? `event: ${event}\n` : ''}data: ${written}\n\n`;
    });
    const parts = events.map(({ data }) => data).filter((data) => typeof data !== 'string');
    return { written: of('text/event-stream', lines.join('')), parts };
  }
  if (body === undefined) return { written: of(undefined, ''), parts: [] };
  return { written: of('application/json', serialize(body)), parts: [body] };
}

async function faulty(
  fault: Fault | undefined,
  request: VendorRequest,
  answer: (trouble?: string) => Promise<Written>,
): Promise<Written> {
  switch (fault?.kind) {
    case undefined:
      return answer();
    case 'own':
      return answer(fault.name);
    case 'slow':
      await sleep(fault.milliseconds);
      return answer();
    case 'status': {
      const { status, headers = {}, body } = fault;
      const { url, headers: given, text } = request;
      const echo = JSON.stringify({ error: { message: `refused ${url} ${JSON.stringify(given)} ${text}` } });
      return { status, headers: { ...JSON_TYPE, ...headers }, bytes: Buffer.from(body ?? echo) };
    }
    case 'body': {
      const { body, contentType = 'application/json' } = fault;
      return { status: 200, headers: { 'content-type': contentType }, bytes: Buffer.from(body) };
    }
    case 'silent':
      return { ...json(200, {}), end: 'silence' };
    case 'silent body':
      return { ...(await answer()), end: 'silence within' };
    case 'cut':
      return { ...(await answer()), end: 'cut' };
  }
}

function readable(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
