import { Link } from 'wouter';
import { dropPictureLinks } from '../../../../src/lib/text/picture-links.ts';
import { t } from '../../i18n/messages.ts';
import { useProjectPath } from '../../shell/project-path.ts';
import { Badge } from '../../ui/badge.tsx';
import { formatScore } from '../../ui/format.ts';
import { MarkedText } from './marked-text.tsx';
import type { Ranks } from './ranks.ts';
import styles from './results.module.css';
import { type Found, getNodeId } from './use-retrieval.ts';

interface ResultsProps {
  label: string;
  indexId: string;
  found: Found[];
  query: Set<string>;
  /** Ranks of the results in the other column, if two columns are compared. */
  ranksBefore?: Ranks | undefined;
}

export function Results({ label, indexId, found, query, ranksBefore }: ResultsProps) {
  const best = Math.max(0, ...found.map(({ score }) => score ?? 0));
  return (
    <ol className={styles.results} aria-label={label}>
      {found.map((each, at) => (
        <li key={getNodeId(each)} className={styles.result}>
          <div className={styles.head}>
            <span className={styles.rank}>{at + 1}</span>
            <Source found={each} indexId={indexId} />
            {ranksBefore && <RankChange from={ranksBefore.get(getNodeId(each))} to={at + 1} />}
            <Score score={each.score} best={best} />
          </div>
          <MarkedText text={dropPictureLinks(each.node.text ?? '')} query={query} />
          {each.score_parts && <ScoreParts parts={each.score_parts} />}
        </li>
      ))}
    </ol>
  );
}

const toText = (value: unknown) =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;

/**
 * Shows the file name and page numbers of a search result. If the result comes from a file, they link to the
 * passage in the file.
 */
function Source({ found, indexId }: { found: Found; indexId: string }) {
  const pathTo = useProjectPath();
  const about = found.node.extra_info ?? {};
  const [first, last] = [toText(about.start_page_label), toText(about.end_page_label)];
  const file = toText(about.file_id);
  const name = toText(about.file_name) ?? toText(about.document_id) ?? t('Text');
  const page =
    first &&
    (first === last || !last
      ? t('page {page}', { page: first })
      : t('pages {first}–{last}', { first, last }));
  const words = page ? `${name}, ${page}` : name;
  if (!file)
    return (
      <span className={styles.source}>
        <bdi>{words}</bdi>
      </span>
    );
  const place = { page: first, node: found.node.id_ ?? undefined };
  return (
    <Link className={styles.source} to={pathTo(`/indexes/${indexId}/files/${file}`, place)}>
      <bdi>{words}</bdi>
    </Link>
  );
}

/**
 * Score with a bar relative to the best score of the column. Scores of different settings cannot be compared,
 * so there is no common scale.
 */
function Score({ score, best }: { score: number | null | undefined; best: number }) {
  const share = best > 0 ? Math.max(0, Math.min(1, (score ?? 0) / best)) : 0;
  return (
    <span className={styles.score} title={t('Score. The bar is relative to the best score.')}>
      <span className={styles.bar} aria-hidden="true">
        <span style={{ width: `${share * 100}%` }} />
      </span>
      <span className="visually-hidden">{t('score')} </span>
      {formatScore(score)}
    </span>
  );
}

/** Scores of the individual rankers, which explain the position of a result. */
function ScoreParts({ parts }: { parts: NonNullable<Found['score_parts']> }) {
  const shown = [
    [t('Keyword'), parts.sparse, t('no match')],
    [t('Semantic'), parts.dense, t('no match')],
    [t('Reranker'), parts.rerank, t('not used')],
  ] as const;
  return (
    <dl className={styles.parts}>
      {shown.map(([name, score, without]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{score == null ? without : formatScore(score)}</dd>
        </div>
      ))}
    </dl>
  );
}

function RankChange({ from, to }: { from: number | undefined; to: number }) {
  if (from === undefined) return <Badge tone="info">{t('only in B')}</Badge>;
  if (from === to) return <Badge>{t('same rank')}</Badge>;
  const steps = Math.abs(from - to);
  const isUp = from > to;
  return (
    <Badge tone={isUp ? 'good' : 'warn'}>
      <span aria-hidden="true">
        {isUp ? '▲' : '▼'}
        {steps}
      </span>
      <span className="visually-hidden">
        {t(
          isUp
            ? '{count, plural, one {# rank higher} other {# ranks higher}}'
            : '{count, plural, one {# rank lower} other {# ranks lower}}',
          { count: steps },
        )}
      </span>
    </Badge>
  );
}
