import type { SearchHit, StoredChunk } from '#src/ports/index-types.ts';
import type { TermStatistics } from '#src/ports/shard.ts';
import { LANGUAGE_CODES, type LanguageCode } from '#src/search/languages.ts';
import { B, K1, type TermWeights } from '#src/search/term-weights.ts';
import type { QueryText, SearchRequest, SearchResult } from '#src/sinks/native/search-store.ts';
import type { Row, RunStatement } from '#src/sinks/pgvector/database.ts';
import type { HnswPlan } from '#src/sinks/pgvector/hnsw.ts';
import { toFacets } from './facets.ts';
import { buildExactCondition, buildIndexedCondition } from './filter-sql.ts';
import { pickRareTerms } from './rare-terms.ts';
import { buildChunkSelection, parseChunk, parseHit, toArrayLiteral, toVectorLiteral } from './rows.ts';
import { encodeText } from './storable.ts';
import type { Place } from './write.ts';

/** Additional candidates that the HNSW index returns, because its order is approximate. */
const SPARE = { share: 0.5, least: 10 };
const LARGEST_CANDIDATES = 10_000;
/**
 * Maximum number of documents that pass the indexed part of a filter, if all of their vectors are compared.
 * For so few, this is faster than a search of the HNSW index.
 */
const FEW_DOCUMENTS = 2_000;
/**
 * Number of chunks that are scored at first. If chunks that contain only more frequent words could be among the
 * results, `GROWTH` times as many are scored.
 */
const FEW_CHUNKS = 2_000;
const GROWTH = 8;

/** Share of all chunks from which on every chunk is examined for the words, instead of asking the index. */
const MOST_INDEXED = 0.2;

type Value = string | number;

/** Number of candidates that a search of the HNSW index takes. */
export function countCandidates(topK: number, plan: HnswPlan): number {
  const wanted = Math.ceil(topK * (1 + SPARE.share)) + SPARE.least;
  return Math.min(LARGEST_CANDIDATES, wanted * plan.spare);
}

/** Runs both arms of a search in one transaction, whose statements all see the same state of the tables. */
export async function searchChunks(
  ask: RunStatement,
  place: Place,
  plan: HnswPlan | undefined,
  request: SearchRequest,
): Promise<SearchResult> {
  const search = new Search(ask, place, plan, request);
  const [dense, sparse] = await Promise.all([search.findNearest(), search.findByWords()]);
  const chunks = new Map<string, StoredChunk>();
  const toHits = (rows: Row[]): SearchHit[] =>
    rows.map((row) => {
      const hit = parseHit(row);
      if (!chunks.has(hit.id)) chunks.set(hit.id, parseChunk(row));
      return hit;
    });
  return {
    dense: toHits(dense),
    sparse: toHits(sparse.rows),
    chunks: [...chunks.values()],
    ...(sparse.statistics && { statistics: sparse.statistics }),
  };
}

class Search {
  readonly #ask: RunStatement;
  readonly #place: Place;
  readonly #plan: HnswPlan | undefined;
  readonly #request: SearchRequest;

  constructor(ask: RunStatement, place: Place, plan: HnswPlan | undefined, request: SearchRequest) {
    this.#ask = ask;
    this.#place = place;
    this.#plan = plan;
    this.#request = request;
  }

  async findNearest(): Promise<Row[]> {
    const { dense } = this.#request;
    if (!dense) return [];
    const find = (plan?: HnswPlan) => this.#askNearest(dense, plan);
    if (!this.#plan || (await this.#isNarrow())) return find();
    const near = await find(this.#plan);
    // A scan of the index may end before it has found enough rows, and the index omits zero vectors.
    return near.length < dense.topK ? find() : near;
  }

  async findByWords(): Promise<{ rows: Row[]; statistics?: TermStatistics }> {
    const { sparse } = this.#request;
    if (!sparse) return { rows: [] };
    const statistics = await this.#readStatistics(sparse);
    const { finding, ranking } = keepIndexed(sparse.weigh(statistics), statistics);
    if (finding.size === 0) return { rows: [], statistics };
    const weights = new Map(finding);
    for (const [term, weight] of ranking) weights.set(term, (weights.get(term) ?? 0) + weight);
    const find = (terms: string[]) => this.#askByWords(sparse.topK, terms, weights, statistics);
    let searched = 0;
    for (let chunks = FEW_CHUNKS; ; chunks *= GROWTH) {
      const rare = pickRareTerms({ finding, ranking }, statistics, chunks);
      if (!rare) break;
      if (rare.terms.length === searched) continue;
      searched = rare.terms.length;
      const rows = await find(rare.terms);
      const least = rows.length < sparse.topK ? 0 : Number(rows.at(-1)!.score);
      // A chunk without a rare word scores less than the bound, so no such chunk is missing.
      if (least >= rare.bound) return { rows, statistics };
    }
    return { rows: await find([...finding.keys()]), statistics };
  }

  /** Returns whether the indexed part of the filters passes few documents. */
  async #isNarrow(): Promise<boolean> {
    const { filters, chunkMetadata = [] } = this.#request;
    if (!filters) return false;
    const values: Value[] = [this.#place.indexId];
    const indexed = buildIndexedCondition(filters, chunkMetadata, (value) => `$${values.push(value)}`);
    if (!indexed) return false;
    const [row] = await this.#ask(
      `select count(*)::float8 as documents from (select 1 from ${this.#place.tables.documents} d
      where d.sluice_index = $1 and ${indexed} limit ${FEW_DOCUMENTS + 1}) passing`,
      values,
    );
    return Number(row?.documents) <= FEW_DOCUMENTS;
  }

  async #askNearest(
    { vector, topK }: NonNullable<SearchRequest['dense']>,
    plan: HnswPlan | undefined,
  ): Promise<Row[]> {
    const values: Value[] = [this.#place.indexId, toVectorLiteral(vector), topK];
    const from = this.#buildSource(values);
    const score = `coalesce(nullif(1 - (c.embedding <=> $2::vector), 'NaN'), 0)`;
    const columns = `c.id, c.document_id, c.position, ${score} as score`;
    const candidates = plan
      ? `order by ${plan.distance('$2::vector', 'c.embedding')} limit ${countCandidates(topK, plan)}`
      : '';
    const best = `select * from (select ${columns} ${from} ${candidates}) near
      order by score desc, document_id, position limit $3::int`;
    return this.#ask(this.#buildAnswer(best), values);
  }

  async #askByWords(
    topK: number,
    finding: string[],
    weights: Map<string, number>,
    statistics: TermStatistics,
  ): Promise<Row[]> {
    const mean = Math.max(1, statistics.totalLength / Math.max(1, statistics.documentCount));
    const values: Value[] = [this.#place.indexId, topK, mean];
    const from = this.#buildSource(values, this.#buildTermCondition(finding, statistics));
    // Without the casts, PostgreSQL would calculate with the type `numeric`, which is slow.
    const norm = `(${K1 * (1 - B)}::float8 + ${K1 * B}::float8 * c.length / $3::float8)`;
    const scores = [...weights].map(([term, weight]) => {
      const { place, isThere } = this.#findTerm(term);
      const frequency = `(case when ${isThere} then c.frequencies[${place}]::float8 end)`;
      return `coalesce($${values.push(weight)}::float8 / (1 + ${norm} / ${frequency}), 0)`;
    });
    const score = buildSum(scores);
    const best = `select c.id, c.document_id, c.position, ${score} as score ${from}
      order by score desc, c.document_id, c.position limit $2::int`;
    return this.#ask(this.#buildAnswer(best), values);
  }

  /**
   * Returns the SQL for the place of a term in a chunk, and for whether the chunk contains it. The terms of a chunk
   * are sorted, so a binary search finds the place. Hashes are part of the statement, because PostgreSQL would convert
   * a parameter again for each row.
   */
  #findTerm(term: string): { place: string; isThere: string } {
    const hash = `${this.#place.hash(term)}::int8`;
    const place = `width_bucket(${hash}, c.terms)`;
    return { place, isThere: `c.terms[${place}] = ${hash}` };
  }

  /** Returns the SQL condition that a chunk contains one of the terms. */
  #buildTermCondition(terms: string[], { documentCount, documentFrequency }: TermStatistics): string {
    const count = (term: string) => documentFrequency[term] ?? 0;
    const found = terms.reduce((sum, term) => sum + count(term), 0);
    if (found < MOST_INDEXED * documentCount)
      return `c.terms && '${toArrayLiteral(terms.map(this.#place.hash))}'::int8[]`;
    // The comparison of whole lists is slow, and the index does not help.
    const frequentFirst = terms.toSorted((a, b) => count(b) - count(a));
    return `(${frequentFirst.map((term) => this.#findTerm(term).isThere).join(' or ')})`;
  }

  /** Returns the SQL that selects the visible chunks that pass the filters. Appends the values of the filters. */
  #buildSource(values: Value[], condition = 'true'): string {
    const { tables } = this.#place;
    const { filters, disabled = [], chunkMetadata = [] } = this.#request;
    const bind = (value: Value) => `$${values.push(value)}`;
    const joins = [
      `from ${tables.chunks} c join ${tables.documents} d
        on d.sluice_index = c.sluice_index and d.document_id = c.document_id and d.version = c.version`,
    ];
    const conditions = ['c.sluice_index = $1', condition];
    if (filters && chunkMetadata.length > 0) {
      const own = chunkMetadata.flatMap(({ documentId, chunks }) =>
        Object.entries(chunks).map(([hash, metadata]) => ({
          document_id: encodeText(documentId),
          hash: encodeText(hash),
          facets: toFacets(metadata),
        })),
      );
      joins.push(`left join json_to_recordset(${bind(JSON.stringify(own))}::text::json)
        as o(document_id text, hash text, facets jsonb) on o.document_id = c.document_id and o.hash = c.hash`);
    }
    if (filters) {
      conditions.push(buildExactCondition(filters, chunkMetadata, bind));
      const indexed = buildIndexedCondition(filters, chunkMetadata, bind);
      if (indexed) conditions.push(indexed);
    }
    if (disabled.length > 0) {
      const rows = disabled.flatMap(({ documentId, hashes }) =>
        hashes.map((hash) => ({ document_id: encodeText(documentId), hash: encodeText(hash) })),
      );
      conditions.push(`(c.document_id, c.hash) not in (select x.document_id, x.hash
        from json_to_recordset(${bind(JSON.stringify(rows))}::text::json) as x(document_id text, hash text))`);
    }
    return `${joins.join('\n')} where ${conditions.join(' and ')}`;
  }

  /** Adds the contents of the chunks to the best results. */
  #buildAnswer(best: string): string {
    const { chunks, documents } = this.#place.tables;
    return `with best as materialized (${best})
      select b.score::float8 as score, ${buildChunkSelection(chunks)}
      from best b join ${chunks} c on c.id = b.id
      join ${documents} d on d.sluice_index = c.sluice_index and d.document_id = c.document_id
      order by b.score desc, c.document_id, c.position`;
  }

  /**
   * Reads how many chunks contain each term of the query. The languages of the index are known from the last
   * query. If there are others now, the terms are counted again.
   */
  async #readStatistics(text: QueryText): Promise<TermStatistics> {
    const { indexId, tables, hash } = this.#place;
    let languages = knownLanguages.get(indexId) ?? [];
    for (;;) {
      const terms = text.listTerms(languages);
      const rows = await this.#ask(
        `select language, chunks::float8 as chunks, words::float8 as words, null::text as term
        from ${tables.languages} where sluice_index = $1 and chunks > 0
        union all select null, chunks, null, term::text from ${tables.terms}
        where sluice_index = $1 and term = any ($2::text::int8[])`,
        [indexId, toArrayLiteral(terms.map(hash))],
      );
      const counted = rows.filter(({ language }) => language !== null);
      const found = parseLanguages(counted);
      if (found.some((code) => !languages.includes(code))) {
        languages = found;
        rememberLanguages(indexId, found);
        continue;
      }
      if (found.length < languages.length) rememberLanguages(indexId, found);
      const sum = (name: string) => counted.reduce((total, row) => total + Number(row[name]), 0);
      const counts = new Map(rows.map(({ term, chunks }) => [String(term), Number(chunks)]));
      return {
        documentCount: sum('chunks'),
        totalLength: sum('words'),
        documentFrequency: Object.fromEntries(
          terms.map((term) => [term, counts.get(String(hash(term))) ?? 0]),
        ),
      };
    }
  }
}

/** Leaves out the terms that no chunk contains, which would only take time. */
function keepIndexed({ finding, ranking }: TermWeights, { documentFrequency }: TermStatistics): TermWeights {
  const keep = (weights: TermWeights['finding']) =>
    new Map([...weights].filter(([term]) => (documentFrequency[term] ?? 0) > 0));
  return { finding: keep(finding), ranking: keep(ranking) };
}

/**
 * Returns the SQL of a sum. Halves are added first, because PostgreSQL rejects expressions that nest too deeply, as a
 * sum of thousands of terms from left to right would.
 */
function buildSum(terms: readonly string[]): string {
  if (terms.length === 1) return terms[0]!;
  const half = Math.ceil(terms.length / 2);
  return `(${buildSum(terms.slice(0, half))} + ${buildSum(terms.slice(half))})`;
}

const MAX_KNOWN = 1_000;
const knownLanguages = new Map<string, LanguageCode[]>();

function rememberLanguages(indexId: string, languages: LanguageCode[]): void {
  if (knownLanguages.size >= MAX_KNOWN) knownLanguages.clear();
  knownLanguages.set(indexId, languages);
}

function parseLanguages(rows: Row[]): LanguageCode[] {
  const names = new Set(rows.map(({ language }) => language));
  return LANGUAGE_CODES.filter((code) => names.has(code));
}
