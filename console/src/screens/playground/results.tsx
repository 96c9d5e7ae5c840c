import { Link } from 'wouter';
import { dropPictureLinks } from '../../../../src/lib/text/picture-links.ts';
import { useAt } from '../../shell/link.ts';
import { Badge } from '../../ui/badge.tsx';
import { MarkedText } from './marked-text.tsx';
import type { Moves } from './moves.ts';
import styles from './results.module.css';
import { type Found, idOf } from './use-retrieval.ts';

interface ResultsProps {
  label: string;
  indexId: string;
  found: Found[];
  query: Set<string>;
  /** Where each stood in the column that this one is compared with. */
  moves?: Moves | undefined;
}

/** What was found, best first. */
export function Results({ label, indexId, found, query, moves }: ResultsProps) {
  const best = Math.max(0, ...found.map(({ score }) => score ?? 0));
  return (
    <ol className={styles.results} aria-label={label}>
      {found.map((each, at) => (
        <li key={idOf(each)} className={styles.result}>
          <div className={styles.head}>
            <span className={styles.rank}>{at + 1}</span>
            <Source found={each} indexId={indexId} />
            {moves && <Move from={moves.get(idOf(each))} to={at + 1} />}
            <Score score={each.score} best={best} />
          </div>
          <MarkedText text={dropPictureLinks(each.node.text ?? '')} query={query} />
          {each.score_parts && <Parts parts={each.score_parts} />}
        </li>
      ))}
    </ol>
  );
}

const textOf = (value: unknown) =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;

/** File and page; a link to the passage where it comes from a file. */
function Source({ found, indexId }: { found: Found; indexId: string }) {
  const at = useAt();
  const about = found.node.extra_info ?? {};
  const [first, last] = [textOf(about.start_page_label), textOf(about.end_page_label)];
  const file = textOf(about.file_id);
  const name = textOf(about.file_name) ?? textOf(about.document_id) ?? 'Text';
  const page = first && (first === last || !last ? `page ${first}` : `pages ${first}–${last}`);
  const words = page ? `${name}, ${page}` : name;
  if (!file) return <span className={styles.source}>{words}</span>;
  const place = { page: first, node: found.node.id_ ?? undefined };
  return (
    <Link className={styles.source} to={at(`/indexes/${indexId}/files/${file}`, place)}>
      {words}
    </Link>
  );
}

/** The bar is the share of the column's best score: scores of different settings are no measures of each other. */
function Score({ score, best }: { score: number | null | undefined; best: number }) {
  const share = best > 0 ? Math.max(0, Math.min(1, (score ?? 0) / best)) : 0;
  return (
    <span className={styles.score} title="Score; the bar is its share of the best one">
      <span className={styles.bar} aria-hidden="true">
        <span style={{ width: `${share * 100}%` }} />
      </span>
      <span className="visually-hidden">score </span>
      {figure(score)}
    </span>
  );
}

const figure = (score: number | null | undefined) => (score == null ? '–' : score.toFixed(3));

/** Why it stands there. */
function Parts({ parts }: { parts: NonNullable<Found['score_parts']> }) {
  const shown = [
    ['Words', parts.sparse, 'no match'],
    ['Meaning', parts.dense, 'no match'],
    ['Reranker', parts.rerank, 'not used'],
  ] as const;
  return (
    <dl className={styles.parts}>
      {shown.map(([name, score, without]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{score == null ? without : figure(score)}</dd>
        </div>
      ))}
    </dl>
  );
}

function Move({ from, to }: { from: number | undefined; to: number }) {
  if (from === undefined) return <Badge tone="info">only here</Badge>;
  if (from === to) return <Badge>same place</Badge>;
  const steps = Math.abs(from - to);
  const isUp = from > to;
  return (
    <Badge tone={isUp ? 'good' : 'warn'}>
      <span aria-hidden="true">
        {isUp ? '▲' : '▼'}
        {steps}
      </span>
      <span className="visually-hidden">
        {steps} {steps === 1 ? 'place' : 'places'} {isUp ? 'higher' : 'lower'}
      </span>
    </Badge>
  );
}
