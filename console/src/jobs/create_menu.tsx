import { refusalOf } from '../access';
import { project } from '../frame/project';
import { words } from '../i18n';
import { type CreatableJob, creatableJobs, jobKinds } from '../kinds';
import { createJobHref, goTo } from '../route';
import { Menu, MenuItem } from '../ui/menu';

/** As people call them. */
export function shortKind(kind: CreatableJob): string {
  return kind.replace(/(Training)?Job$/, '');
}

/** Why the user may not; where all projects are shown, the form asks about the one that is chosen there. */
function reasonFor(kind: CreatableJob): string {
  const found = jobKinds.find((each) => each.kind === kind);
  if (!found || project.value === '') return '';
  const { group, plural } = found;
  return refusalOf({ verb: 'create', group, resource: plural, namespace: project.value });
}

/** The button over the list, and the kinds that it offers. */
export function CreateMenu() {
  return (
    <Menu face={`${words.value.createJob} ▾`} class="primary">
      {() =>
        creatableJobs.map((kind) => (
          <MenuItem
            key={kind}
            reason={reasonFor(kind)}
            onClick={() => {
              goTo(createJobHref(kind));
            }}
          >
            {shortKind(kind)}
          </MenuItem>
        ))
      }
    </Menu>
  );
}
