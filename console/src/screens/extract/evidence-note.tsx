import { t } from '../../i18n/messages.ts';
import { Button } from '../../ui/button.tsx';
import { percent } from '../../ui/format.ts';
import type { Citation, Evidence } from './evidence.ts';
import styles from './extract.module.css';

interface EvidenceNoteProps {
  evidence: Evidence;
  shown: Citation | undefined;
  onShow: (citation: number) => void;
}

/** Shows the confidence, the reasoning and the sources of an extracted value. */
export function EvidenceNote({ evidence, shown, onShow }: EvidenceNoteProps) {
  const { citation = [], confidence, extraction_confidence, parsing_confidence, reasoning } = evidence;
  return (
    <div className={styles.note}>
      {confidence !== undefined && (
        <p>
          {extraction_confidence !== undefined && parsing_confidence !== undefined
            ? t('Confidence {confidence}, not calibrated: extraction {extraction}, parsing {parsing}', {
                confidence: percent(confidence),
                extraction: percent(extraction_confidence),
                parsing: percent(parsing_confidence),
              })
            : t('Confidence {confidence}, not calibrated', { confidence: percent(confidence) })}
        </p>
      )}
      {reasoning && <p>{reasoning}</p>}
      {citation.length > 1 && (
        <div className={styles.places}>
          {citation.map((each, at) => (
            <Button
              key={`${each.page} ${each.matching_text}`}
              small
              aria-pressed={each === shown}
              onClick={() => onShow(at)}
            >
              {t('Source {number}, page {page}', { number: at + 1, page: each.page })}
            </Button>
          ))}
        </div>
      )}
      {shown && <blockquote>{shown.matching_text}</blockquote>}
    </div>
  );
}
