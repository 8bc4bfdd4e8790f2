/** The frame of all views: navigation, connection, palette and help. */
import { Suspense, useEffect, useState } from 'react';
import { Link, Route, Switch, useLocation } from 'wouter';
import { signOut, useConnection, useLiveRefresh, useOrganization, useSession, toLabel } from '../api/index.ts';
import { Choice, Empty, Icon, IconButton, Loading, useKeys } from '../ui/index.ts';
import { ErrorBoundary } from './error-boundary.tsx';
import { Help } from './help.tsx';
import { Palette } from './palette.tsx';
import { SignIn } from './sign-in.tsx';
import { THEMES, setPreferences, usePreferences } from './preferences.ts';
import { VIEWS } from './views.ts';

export function App() {
  const session = useSession();
  return session === null || location.hash.startsWith('#code=') ? <SignIn /> : <Shell />;
}

function Shell() {
  useLiveRefresh();
  const [open, setOpen] = useState<'palette' | 'help' | 'menu'>();
  const [path] = useLocation();
  useKeys({
    'mod+k': () => setOpen('palette'),
    '?': () => setOpen('help'),
    '/': () => document.querySelector<HTMLElement>('main input[type=search]')?.focus(),
  });
  const view = VIEWS.find((candidate) => candidate.path === (path.split('/')[1] ?? ''));
  useEffect(() => {
    document.title = `${view?.title ?? 'Not found'} · stockroom`;
    setOpen((now) => (now === 'menu' ? undefined : now));
  }, [view, path]);
  return (
    <div className="shell">
      <Navigation
        current={view?.path}
        isOpen={open === 'menu'}
        onMenu={() => setOpen(open === 'menu' ? undefined : 'menu')}
        onPalette={() => setOpen('palette')}
      />
      <main>
        <ConnectionBanner />
        <ErrorBoundary key={view?.path}>
          <Suspense fallback={<Loading />}>
            <Switch>
              {VIEWS.map(({ path: name, component: Component }) => (
                <Route key={name} path={name === '' ? '/' : `/${name}/*?`}>
                  <Component />
                </Route>
              ))}
              <Route>
                <Empty title="There is no such page">Choose a view on the left.</Empty>
              </Route>
            </Switch>
          </Suspense>
        </ErrorBoundary>
      </main>
      {open === 'palette' && <Palette onClose={() => setOpen(undefined)} />}
      {open === 'help' && <Help onClose={() => setOpen(undefined)} />}
    </div>
  );
}

interface NavigationProps {
  readonly current: string | undefined;
  readonly isOpen: boolean;
  readonly onMenu: () => void;
  readonly onPalette: () => void;
}

function Navigation({ current, isOpen, onMenu, onPalette }: NavigationProps) {
  const organization = useOrganization();
  return (
    <header className={`nav ${isOpen ? 'open' : ''}`}>
      <div className="bar nav-head">
        <Link href="/" className="bar brand">
          <Icon name="items" />
          <span dir="auto">{organization?.name ?? 'stockroom'}</span>
        </Link>
        <IconButton name="search" label="Search and go to (Ctrl-K)" onClick={onPalette} />
        <span className="menu-button">
          <IconButton name={isOpen ? 'close' : 'menu'} label={isOpen ? 'Close menu' : 'Open menu'} onClick={onMenu} />
        </span>
      </div>
      <nav aria-label="Views">
        {VIEWS.map(({ path, title, icon }) => (
          <Link key={path} href={`/${path}`} aria-current={current === path ? 'page' : undefined}>
            <Icon name={icon} />
            {title}
          </Link>
        ))}
      </nav>
      <NavigationFoot />
    </header>
  );
}

function NavigationFoot() {
  const { theme, isProjector } = usePreferences();
  return (
    <div className="nav-foot">
      <span className="theme">
        <Icon name="sun" />
        <Choice
          label="Colors"
          none={false}
          value={theme}
          values={THEMES}
          toText={toLabel}
          onChange={(name) => setPreferences({ theme: THEMES.find((known) => known === name) ?? 'system' })}
        />
      </span>
      <button type="button" aria-pressed={isProjector} onClick={() => setPreferences({ isProjector: !isProjector })}>
        <Icon name="screen" />
        Projector
      </button>
      <button type="button" onClick={() => void signOut()}>
        <Icon name="exit" />
        Sign out
      </button>
    </div>
  );
}

function ConnectionBanner() {
  const isConnected = useConnection();
  return (
    <div role="status" className="banner-place">
      {!isConnected && (
        <p className="bar banner">
          <Icon name="warning" /> The service does not answer. Trying again…
        </p>
      )}
    </div>
  );
}
