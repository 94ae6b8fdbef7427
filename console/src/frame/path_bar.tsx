import { words } from '../i18n';
import { listKinds, namespaceKind, resourceOf } from '../kinds';
import { refreshAll, useLiveOne } from '../live/pool';
import { connection } from '../live/tab';
import { jobsHref, listHref, type Route, route } from '../route';
import { Menu, MenuItem } from '../ui/menu';
import type { Words } from '../words/en';
import { chooseProject, project } from './project';
import { sideBarShown, toggleSideBar } from './side_bar';

/** What the page is called, from the whole to the part. */
export function pathOf(at: Route, t: Words): { text: string; href?: string }[] {
  switch (at.page) {
    case 'overview':
      return [{ text: t.overview }];
    case 'about':
      return [{ text: t.about }];
    case 'unknown':
      return [{ text: t.unknownPage }];
    case 'jobs':
      return [{ text: t.jobs }];
    case 'create job':
      return [{ text: t.jobs, href: jobsHref }, { text: t.create }];
    case 'job':
      return [{ text: t.jobs, href: jobsHref }, { text: at.name }];
    case 'list':
      return [{ text: t.lists[at.list] }];
    case 'make':
      return [{ text: t.lists[at.list], href: listHref(at.list) }, { text: t.create }];
    case 'object':
      return [{ text: t.lists[at.list], href: listHref(at.list) }, { text: at.name }];
  }
}

/** Kinds of the whole cluster and the page about the program belong to no project; a job says its own. */
function hasProject(at: Route): boolean {
  if (at.page === 'list' || at.page === 'make') return !('cluster' in listKinds[at.list]);
  return at.page === 'overview' || at.page === 'jobs' || at.page === 'create job';
}

function ProjectSwitch() {
  const t = words.value;
  const { collection } = useLiveOne(resourceOf(namespaceKind, ''));
  const names = [...collection.keys.value].map((key) => key.slice(1)).sort();
  return (
    <Menu face={`${t.project}: ${project.value || t.allProjects} ▾`} class="soft">
      {() => (
        <>
          <MenuItem current={project.value === ''} onClick={() => chooseProject('')}>
            {t.allProjects}
          </MenuItem>
          {names.map((name) => (
            <MenuItem
              key={name}
              current={project.value === name}
              onClick={() => chooseProject(name)}
            >
              {name}
            </MenuItem>
          ))}
        </>
      )}
    </Menu>
  );
}

function Path() {
  const t = words.value;
  return (
    <nav aria-label={t.breadcrumb}>
      <ol>
        {pathOf(route.value, t).map(({ text, href }) => (
          <li key={text}>
            {href ? <a href={href}>{text}</a> : <span aria-current="page">{text}</span>}
          </li>
        ))}
      </ol>
    </nav>
  );
}

export function PathBar() {
  const t = words.value;
  const state = connection.state.value.kind;
  return (
    <div class="path">
      <button
        type="button"
        class="plain"
        aria-label={t.toggleSideBar}
        aria-expanded={sideBarShown.value}
        onClick={toggleSideBar}
      >
        ☰
      </button>
      <Path />
      {state === 'open' && <span class="live">{t.live}</span>}
      {state !== 'signed out' && hasProject(route.value) && <ProjectSwitch />}
      <button
        type="button"
        class="plain"
        aria-label={t.refresh}
        title={t.refresh}
        onClick={refreshAll}
      >
        ⟳
      </button>
    </div>
  );
}
