import { t } from '../../i18n/messages.ts';
import { count } from '../../ui/format.ts';
import styles from './admin.module.css';

const HEIGHT = 100;
const BAR = 10;
const GAP = 3;

/** Bar chart with one bar per day. A table next to it shows the same numbers. */
export function DailyChart({ label, days }: { label: string; days: { day: string; count: number }[] }) {
  const most = Math.max(0, ...days.map((day) => day.count));
  const width = days.length * (BAR + GAP);
  const total = days.reduce((sum, day) => sum + day.count, 0);
  const first = days[0]?.day ?? '';
  const last = days.at(-1)?.day ?? '';
  return (
    <figure>
      <svg
        className={styles.chart}
        viewBox={`0 0 ${width} ${HEIGHT + 1}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={t('{label} from {first} to {last}: {total} in total, up to {most} per day', {
          label,
          first,
          last,
          total: count(total),
          most: count(most),
        })}
      >
        {days.map(({ day, count: value }, index) => {
          const height = (value / Math.max(1, most)) * HEIGHT;
          return (
            <rect
              key={day}
              className={styles.bar}
              x={index * (BAR + GAP)}
              y={HEIGHT - height}
              width={BAR}
              height={height}
              rx="1"
            >
              <title>{`${day}: ${count(value)}`}</title>
            </rect>
          );
        })}
        <line
          className={styles.base}
          x1="0"
          x2={width}
          y1={HEIGHT}
          y2={HEIGHT}
          vectorEffect="non-scaling-stroke"
        />
      </svg>
      <figcaption className={styles.axis}>
        <span>{first}</span>
        <span>
          {most > 0 ? t('up to {most} per day', { most: count(most) }) : t('No activity in this period')}
        </span>
        <span>{last}</span>
      </figcaption>
    </figure>
  );
}
