import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import mark from '../mark.svg';
import { IconButton } from '../ui/button.tsx';
import { Icon } from '../ui/icons.tsx';
import { HOUSE, type Place, WORK } from './places.ts';
import { useProjectId } from './project.ts';
import { ProjectSwitch } from './project-switch.tsx';
import styles from './rail.module.css';
import { useSession } from './session.tsx';
import { setTheme, type Theme, theme } from './theme.ts';

/** The way to every place, who is here, and in which project. */
export function Rail() {
  const { session, signOut } = useSession();
  return (
    <div className={styles.rail}>
      <Link to="/indexes" className={styles.brand}>
        <img src={mark} alt="" width="26" height="26" />
        Sluice
      </Link>
      <div className={styles.project}>
        <ProjectSwitch />
      </div>
      <nav aria-label="Places" className={styles.places}>
        {WORK.map((place) => (
          <PlaceLink key={place.to} place={place} />
        ))}
      </nav>
      <nav aria-label="House" className={`${styles.places} ${styles.house}`}>
        {HOUSE.map((place) => (
          <PlaceLink key={place.to} place={place} />
        ))}
      </nav>
      <div className={styles.me}>
        <span className={styles.name} title={session.user.email ?? undefined}>
          {session.user.name || session.user.email}
        </span>
        <span>
          <ThemeButton />
          <IconButton icon="leave" label="Sign out" small onClick={() => void signOut()} />
        </span>
      </div>
    </div>
  );
}

function PlaceLink({ place: { to, label, icon } }: { place: Place }) {
  const [location] = useLocation();
  const project = useProjectId();
  const isHere = location === to || location.startsWith(`${to}/`);
  return (
    <Link
      to={project ? `${to}?project_id=${project}` : to}
      className={styles.place}
      aria-current={isHere ? 'page' : undefined}
    >
      <Icon name={icon} />
      {label}
    </Link>
  );
}

const NEXT: Record<Theme, Theme> = { system: 'light', light: 'dark', dark: 'system' };

function ThemeButton() {
  const [shown, setShown] = useState(theme);
  const next = NEXT[shown];
  const change = () => {
    setTheme(next);
    setShown(next);
  };
  const icon = shown === 'dark' ? 'dark' : 'light';
  return <IconButton icon={icon} small label={`Theme: ${shown}; change to ${next}`} onClick={change} />;
}
