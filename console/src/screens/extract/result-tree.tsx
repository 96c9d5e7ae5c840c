import { t } from '../../i18n/messages.ts';
import { appendPointer, type Evidence, getMember, isEvidence } from './evidence.ts';
import styles from './extract.module.css';

interface ResultTreeProps {
  value: unknown;
  /**
   * Metadata of the extracted value, nested in the same way as the value. Each leaf is an `Evidence` object.
   */
  metadata: unknown;
  pointer: string;
  chosen: string | undefined;
  onChoose: (pointer: string) => void;
}

/** Shows extracted values as a tree. A value with sources is a button that selects the value. */
export function ResultTree({ value, metadata, pointer, chosen, onChoose }: ResultTreeProps) {
  if (typeof value !== 'object' || value === null) {
    return (
      <Leaf
        value={value}
        evidence={isEvidence(metadata) ? metadata : undefined}
        pointer={pointer}
        isChosen={pointer === chosen}
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
          <span className={styles.member} dir="auto">
            {Array.isArray(value) ? Number(name) + 1 : name}
          </span>
          <ResultTree
            value={each}
            metadata={getMember(metadata, name)}
            pointer={appendPointer(pointer, name)}
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
  pointer: string;
  isChosen: boolean;
  onChoose: (pointer: string) => void;
}

function Leaf({ value, evidence, pointer, isChosen, onChoose }: LeafProps) {
  const shown = value === null || value === '' ? <NotFound /> : String(value);
  if (!evidence?.citation?.length)
    return (
      <span className={styles.leaf} dir="auto">
        {shown}
      </span>
    );
  return (
    <button
      type="button"
      className={`${styles.leaf} ${styles.cited}`}
      aria-pressed={isChosen}
      onClick={() => onChoose(pointer)}
    >
      <bdi>{shown}</bdi>
      <span className={styles.page}>{t('page {page}', { page: evidence.citation[0]!.page })}</span>
    </button>
  );
}

const NotFound = () => <span className={styles.nothing}>{t('Not found')}</span>;
