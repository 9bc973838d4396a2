// For use-node.sh.
import { refuseOldNode } from './node-version.js'

refuseOldNode()
