import { expect, inject } from 'vitest';
import type { Upstream } from '#src/lib/errors.ts';
import { createUpstreamHttp, type UpstreamRules } from '#src/upstream/http.ts';

/** Origin of the misbehaving server of test/process/loopback.ts. */
export const base = inject('loopback');
/** Another origin of the same server. */
export const elsewhere = base.replace('127.0.0.1', 'localhost');

/** Creates a client that may call private addresses and waits 20 seconds for data. */
export const open = (rules: Partial<UpstreamRules> = {}) =>
  createUpstreamHttp({
    name: 'The store',
    settings: { ALLOW_PRIVATE_ADDRESSES: true },
    silenceSeconds: 20,
    ...rules,
  });

/** Returns the error of a call. Fails if the call succeeds. */
export const caught = (work: Promise<unknown>) =>
  work.then(
    () => expect.unreachable('it resolved'),
    (error: unknown) => error as Upstream,
  );

/** Request as the server received it. */
interface Seen {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: string;
}

/** Returns the requests with this id that the server has received. */
export const seen = async (id: string) => (await (await fetch(`${base}/seen?id=${id}`)).json()) as Seen[];

/** Answers once a client with this id has disconnected before the end of the server's answer. */
export const left = async (id: string) => (await fetch(`${base}/left?id=${id}`)).text();

export const newId = () => crypto.randomUUID();

/** Returns the URL of a path of the server, which misbehaves as the path and the query specify. */
export const path = (name: string, query: Record<string, string | number> = {}, origin = base) =>
  `${origin}/${name}?${new URLSearchParams(Object.entries(query).map(([key, value]) => [key, String(value)]))}`;
