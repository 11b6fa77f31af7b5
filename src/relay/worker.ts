/** The thread of the relay. It waits in poll(2), so word from the main thread comes by an eventfd and a port that is asked. */
import { parentPort, receiveMessageOnPort, workerData, type MessagePort } from "node:worker_threads";
import { Conductor } from "./conductor.ts";
import type { FromRelay, RelayInit, ToRelay } from "./messages.ts";
import { Pump } from "./pump.ts";
import { Testament } from "./testament.ts";

const { init, port } = workerData as { readonly init: RelayInit; readonly port: MessagePort };

function post(message: FromRelay): void {
  parentPort?.postMessage(message);
}

function receive(): ToRelay | undefined {
  return receiveMessageOnPort(port)?.message as ToRelay | undefined;
}

const pump = new Pump(init.terminal, init.master, init.wake);
const conductor = new Conductor(pump, init, new Testament(init.testament, init.termios), post, receive);
pump.run(conductor);
