// What a page says while it has nothing to show, or nothing newer.
import { connection } from "../store";

export function Waiting({ value, error, what }: { value: unknown; error: string; what: string }) {
  if (value && connection.value.state === "lost") return null; // it is said above all pages
  if (error) return <p class="problem" role="status">{what}: {error}. {value ? "What is shown is of before; it is asked for again." : "It is asked for again."}</p>;
  if (!value) return <p class="loading" role="status">Asking for {what.toLowerCase()}.</p>;
  return null;
}
