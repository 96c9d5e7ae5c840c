import { expect } from 'vitest';
import { fetchService } from '#test/support/client.ts';

export interface ToolResult<Data = Record<string, unknown>> {
  content: { type: string; text: string }[];
  structuredContent?: Data;
  isError?: boolean;
}

export interface Message {
  result?: Record<string, unknown>;
  error?: { code: number; message: string };
}

interface Options {
  key?: string | null;
  query?: string;
}

const HEADERS = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' };

/** Sends one message as an MCP client does. */
export function post(body: unknown, { key, query = '' }: Options = {}, headers: object = {}) {
  const all = { ...HEADERS, 'content-type': 'application/json', ...headers };
  return fetchService('POST', `/mcp${query}`, { body, headers: all, ...(key !== undefined && { key }) });
}

/** Returns the message in a response, which is either JSON or a stream with one event. */
export async function readMessage(response: Response): Promise<Message> {
  const text = await response.text();
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
  return JSON.parse(isStream ? /^data: (.*)$/m.exec(text)![1]! : text) as Message;
}

export async function rpc(method: string, params: object = {}, options: Options = {}): Promise<Message> {
  const answer = await post({ jsonrpc: '2.0', id: 7, method, params }, options);
  expect(answer.status).toBe(200);
  return readMessage(answer);
}

export async function callTool<Data = Record<string, unknown>>(
  name: string,
  args: object,
  options: Options = {},
): Promise<ToolResult<Data>> {
  const { result, error } = await rpc('tools/call', { name, arguments: args }, options);
  if (!result) throw new Error(`${name}: ${JSON.stringify(error)}`);
  return result as unknown as ToolResult<Data>;
}

/** Calls a tool and returns the structured content of the successful result. */
export async function called<Data>(name: string, args: object, options: Options = {}): Promise<Data> {
  const result = await callTool<Data>(name, args, options);
  if (result.isError) throw new Error(`${name}: ${result.content[0]!.text}`);
  return result.structuredContent!;
}

/** Calls a tool and returns the error text. */
export async function refused(name: string, args: object, options: Options = {}): Promise<string> {
  const result = await callTool(name, args, options);
  expect(result.isError, JSON.stringify(result)).toBe(true);
  expect(result.structuredContent).toBeUndefined();
  return result.content[0]!.text;
}
