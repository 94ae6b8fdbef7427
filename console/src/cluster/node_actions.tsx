import { refusalOf } from '../access';
import { words } from '../i18n';
import { listKinds } from '../kinds';
import { act } from '../objects/actions';
import { Dialog } from '../ui/dialog';
import { MenuItem } from '../ui/menu';
import { showDialog } from '../ui/shown_dialog';
import { showYaml } from '../ui/yaml_dialog';
import type { Node } from './node';
import { clusterWords } from './words';

function cordon(node: Node, closed: boolean): void {
  const t = clusterWords.peek();
  void act(closed ? t.cordon : t.uncordon, 'PATCH', listKinds.nodes, node, {
    spec: { unschedulable: closed || null },
  });
}

/** Opens a node again at once; asks before it is closed to new pods. */
export function toggleNode(node: Node): void {
  if (node.spec?.unschedulable) {
    cordon(node, false);
    return;
  }
  showDialog((close) => {
    const t = clusterWords.value;
    return (
      <Dialog title={t.cordonTitle(node.metadata.name)} onClose={close}>
        <p>{t.cordonText}</p>
        <div class="bar end">
          <button type="button" onClick={close}>
            {words.value.cancel}
          </button>
          <button
            type="button"
            class="primary"
            onClick={() => {
              close();
              cordon(node, true);
            }}
          >
            {t.cordon}
          </button>
        </div>
      </Dialog>
    );
  });
}

/** Why the user may neither close nor open nodes; empty when they may. */
export function whyNotToggle(): string {
  return refusalOf({ verb: 'patch', group: '', resource: 'nodes', namespace: '' });
}

export function toggleWord({ spec }: Node): string {
  return spec?.unschedulable ? clusterWords.value.uncordon : clusterWords.value.cordon;
}

export function NodeActions({ node }: { node: Node }) {
  return (
    <>
      <MenuItem onClick={() => showYaml(node)}>{words.value.yaml}</MenuItem>
      <MenuItem reason={whyNotToggle()} onClick={() => toggleNode(node)}>
        {toggleWord(node)}
      </MenuItem>
    </>
  );
}
