import { STORAGE } from '#bench/cost/prices.ts';
import { INGESTION, PGVECTOR } from './constants.ts';
import { computeDollarsPerMonth, getPrice, type Method } from './model.ts';

/** Simulated ingestion of small documents, and what remains stored. */
export interface Ingestion {
  /** Shortest possible time in hours, with one pipeline and without waiting for other work. */
  hours: number;
  /** Dollars for the operations of the ingestion. */
  dollars: number;
  /** Bytes of metadata in D1, with the texts of small documents in D1 and in R2. */
  metadataBytes: number;
  metadataBytesInBucket: number;
  /** Number of D1 databases that the metadata needs, with the texts in R2. */
  databases: number;
  /** Dollars per month for the index and the metadata, with the texts in R2. */
  dollarsPerMonth: number;
}

const MILLION = 1_000_000;

/** Computes the ingestion of documents with the given number of chunks each. */
export function computeIngestion(way: Method, chunks: number, chunksPerDocument: number): Ingestion {
  const documents = chunks / chunksPerDocument;
  const inBucket = documents * (INGESTION.metadataBytes.value - INGESTION.textBytes.value);
  const gigabytes = inBucket / 1e9;
  return {
    hours: computeSeconds(way, chunks) / 3_600,
    dollars: computeDollars(way, chunks, documents),
    metadataBytes: documents * INGESTION.metadataBytes.value,
    metadataBytesInBucket: inBucket,
    databases: Math.ceil(gigabytes / INGESTION.databaseLimit.value),
    dollarsPerMonth:
      computeDollarsPerMonth(way, chunks) + gigabytes * STORAGE['D1 (metadata, short texts)']!.dollars,
  };
}

/**
 * Returns the seconds that the slowest part works. One shard of an index takes new documents at a time, and consumers
 * share the processor time. A database takes chunks at its own rate.
 */
function computeSeconds(way: Method, chunks: number): number {
  const consumers = (INGESTION.processorSeconds.value * chunks) / MILLION / INGESTION.consumers.value;
  const shard = (INGESTION.objectSeconds.value * chunks) / MILLION;
  const database = chunks / PGVECTOR.insertRate.value;
  if (way === 'native') return Math.max(consumers, database);
  return Math.max(consumers, shard, way === 'pgvector' ? database : 0);
}

/** Returns the price of rows and processor time. Texts in R2 and the time of objects are included. */
function computeDollars(way: Method, chunks: number, documents: number): number {
  const shardRows = way === 'native' ? 0 : chunks;
  return (
    (shardRows * INGESTION.objectRows.value * getPrice('object rows written') +
      shardRows * INGESTION.objectRowsRead.value * getPrice('object rows read') +
      (way === 'native'
        ? 0
        : (chunks / MILLION) * INGESTION.objectSeconds.value * getPrice('object seconds')) +
      documents * INGESTION.databaseRows.value * getPrice('D1 rows written') +
      documents * INGESTION.databaseRowsRead.value * getPrice('D1 rows read') +
      documents * getPrice('R2 class A') +
      (chunks / MILLION) * INGESTION.processorSeconds.value * 1_000 * getPrice('CPU ms')) /
    MILLION
  );
}
