import { type Evidence, further, isEvidence, memberOf } from './evidence.ts';
import styles from './extract.module.css';

interface ResultTreeProps {
  value: unknown;
  /** In the shape of the value, its leaves evidence. */
  metadata: unknown;
  place: string;
  chosen: string | undefined;
  onChoose: (place: string) => void;
}

/** What was extracted, part by part; a value is a button that shows where it stands in the document. */
export function ResultTree({ value, metadata, place, chosen, onChoose }: ResultTreeProps) {
  if (typeof value !== 'object' || value === null) {
    return (
      <Leaf
        value={value}
        evidence={isEvidence(metadata) ? metadata : undefined}
        place={place}
        isChosen={place === chosen}
        onChoose={onChoose}
      />
    );
  }
  const parts = Object.entries(value);
  if (parts.length === 0) return <NotFound />;
  return (
    <ul className={styles.tree}>
      {parts.map(([name, each]) => (
        <li key={name}>
          <span className={styles.member}>{Array.isArray(value) ? Number(name) + 1 : name}</span>
          <ResultTree
            value={each}
            metadata={memberOf(metadata, name)}
            place={further(place, name)}
            chosen={chosen}
            onChoose={onChoose}
          />
        </li>
      ))}
    </ul>
  );
}

interface LeafProps {
  value: unknown;
  evidence: Evidence | undefined;
  place: string;
  isChosen: boolean;
  onChoose: (place: string) => void;
}

function Leaf({ value, evidence, place, isChosen, onChoose }: LeafProps) {
  const shown = value === null || value === '' ? <NotFound /> : String(value);
  if (!evidence?.citation?.length) return <span className={styles.leaf}>{shown}</span>;
  return (
    <button
      type="button"
      className={`${styles.leaf} ${styles.cited}`}
      aria-pressed={isChosen}
      onClick={() => onChoose(place)}
    >
      {shown}
      <span className={styles.page}>page {evidence.citation[0]!.page}</span>
    </button>
  );
}

const NotFound = () => <span className={styles.nothing}>Not found</span>;
