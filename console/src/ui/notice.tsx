import type { ReactNode } from 'react';
import type { Tone } from './badge.tsx';
import { classes } from './classes.ts';
import { Icon, type IconName } from './icons.tsx';
import styles from './notice.module.css';

/** Message about the page that is not the failure of a request. */
export function Notice({
  tone,
  icon,
  title,
  children,
}: {
  tone: Tone;
  icon: IconName;
  title: string;
  children?: ReactNode;
}) {
  return (
    <div className={classes(styles.notice, styles[tone])}>
      <span className={styles.icon}>
        <Icon name={icon} />
      </span>
      <div className={styles.text}>
        <strong>{title}</strong>
        {children}
      </div>
    </div>
  );
}
