import type { z } from 'zod';
import { type SinkDeps, SinkError } from '#src/ports/sink.ts';
import { createStoreHttp } from '#src/sinks/external/store-http.ts';
import type { UpstreamHttp } from '#src/upstream/http.ts';
import { type ClusterInfo, describeOldVersion, type Engine, findEngine } from './engine.ts';
import {
  getCredentials,
  getIndexName,
  type OpenSearchSettings,
  PRODUCT,
  parseClusterUrl,
} from './settings.ts';
import { clusterInfo } from './wire.ts';

interface Request {
  method: 'GET' | 'POST' | 'PUT';
  /** Path after the name of the index, such as `/_search`. */
  path: string;
  body?: unknown;
  /** Lines of newline-delimited JSON, in place of `body`. */
  lines?: string[];
  /** Name in place of the name of the index. */
  target?: string;
}

/** What the isolate remembers about a cluster. */
export interface Cluster {
  engine: Engine;
  /** Whether the cluster allows ranges of keywords. Some clusters forbid expensive queries. */
  allowsRanges: boolean;
}

export interface SearchClient {
  /** Name of the index that requests without a `target` reach. */
  readonly name: string;
  /** Returns what is known about the cluster. Rejects if its product or version is not supported. */
  getCluster(): Promise<Cluster>;
  /** Returns the product that the cluster runs. Rejects like `getCluster`. */
  getEngine(): Promise<Engine>;
  /** Reads the description of the cluster. */
  readInfo(): Promise<ClusterInfo>;
  ask<T>(request: Request, schema: z.ZodType<T>): Promise<T>;
}

/** How long a cluster is remembered, in milliseconds. Another cluster may replace it. */
const REMEMBERED_MS = 10 * 60_000;
const MAX_REMEMBERED = 1_000;
/** Clusters that the isolate has called, by URL. They save a request before each query. */
const KNOWN_CLUSTERS = new Map<string, Cluster & { until: number }>();

export function createSearchClient(settings: OpenSearchSettings, deps: SinkDeps): SearchClient {
  const base = parseClusterUrl(settings, deps);
  const name = getIndexName(settings);
  const { header, secrets } = getCredentials(settings);
  const headers = { accept: 'application/json', ...(header !== undefined && { authorization: header }) };
  const createHttp = (product: string): UpstreamHttp =>
    createStoreHttp({ product, deps, secrets, retries: settings.max_retries });

  async function readInfo(): Promise<ClusterInfo> {
    const http = createHttp(PRODUCT);
    return http.json(
      await http.request(`${base}/`, { headers }, { what: 'the description of the cluster' }),
      clusterInfo,
    );
  }

  async function getCluster(): Promise<Cluster> {
    const known = KNOWN_CLUSTERS.get(base);
    if (known && known.until > Date.now()) return known;
    const info = await readInfo();
    const engine = findEngine(info);
    if (!engine) throw new SinkError(`${PRODUCT}: another product answers at url.`, { retryable: false });
    const problem = describeOldVersion(engine, info);
    if (problem) throw new SinkError(`${engine.product}: ${problem}`, { retryable: false });
    const cluster = { engine, allowsRanges: true, until: Date.now() + REMEMBERED_MS };
    KNOWN_CLUSTERS.delete(base);
    KNOWN_CLUSTERS.set(base, cluster);
    if (KNOWN_CLUSTERS.size > MAX_REMEMBERED) KNOWN_CLUSTERS.delete(KNOWN_CLUSTERS.keys().next().value!);
    return cluster;
  }

  const getEngine = async (): Promise<Engine> => (await getCluster()).engine;

  return {
    name,
    getCluster,
    getEngine,
    readInfo,
    async ask({ method, path, body, lines, target = name }, schema) {
      const http = createHttp((await getEngine()).product);
      const text = lines ? `${lines.join('\n')}\n` : body === undefined ? undefined : serialize(body);
      const contentType = lines ? 'application/x-ndjson' : 'application/json';
      const init = {
        method,
        headers: { ...headers, ...(text !== undefined && { 'content-type': contentType }) },
        ...(text !== undefined && { body: text }),
      };
      const response = await http.request(`${base}/${target}${path}`, init, { what: `index ${name}` });
      return http.json(response, schema);
    },
  };
}

/** Serializes JSON and replaces unpaired surrogates, which have no UTF-8 encoding. */
export function serialize(value: unknown): string {
  return JSON.stringify(value, (_, each) => (typeof each === 'string' ? each.toWellFormed() : each));
}
