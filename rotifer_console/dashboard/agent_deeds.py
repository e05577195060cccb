"""Creating an agent and setting its policy, each with its form (TUI-7)."""

from __future__ import annotations

from dataclasses import replace

from rotifer_console.dashboard import deleting
from rotifer_console.dashboard.actions import Subject
from rotifer_console.dashboard.agent_form import CreateForm, NewAgent
from rotifer_console.dashboard.desk import Lane
from rotifer_console.dashboard.policy_form import PolicyChange, PolicyForm
from rotifer_console.dashboard.undertaking import Undertaking, told
from rotifer_console.genes.genome import read_genome
from rotifer_console.project import gene_names
from rotifer_console.view.agents import describe
from rotifer_store import Agent, DataPolicy, Gene, Store


class AgentDeeds(Undertaking):
    """What makes agents and changes their settings."""

    def do_create(self) -> None:
        """Asks for a new agent."""
        app = self.console_app
        project = app.project

        def start(form: CreateForm, new: NewAgent) -> None:
            def create(store: Store) -> Agent:
                folders = read_genome(project, new.genes)
                genes = [Gene(each.gene_id, each.domain, each.name, each.version) for each in folders]
                return store.create_agent(
                    new.name,
                    genes=genes,
                    composition=new.composition.to_json(),
                    memory_quota_bytes=new.quota_bytes,
                    data_policy=DataPolicy(new.days, new.auto_delete, new.anonymization),
                )

            def done(agent: Agent) -> None:
                app.door.creates = False
                if form.is_attached:
                    form.dismiss()
                self.choose_agent(agent.name)
                self.say(f"created {describe(agent)}", "success")
                self.show_deed("create", Subject(agent=agent.name, options=new.options))

            def refused(error: Exception) -> None:
                app.door.creates = False
                self.failed_in(form, f"nothing was created: {told(error)}")

            app.door.creates = True  # a project's first agent makes its store
            self.undertake(Lane.CHANGE, f"creating {new.name}", create, done, refused)

        self.app.push_screen(CreateForm(gene_names(project), start))

    def do_policy(self) -> None:
        """Asks for another quota or data policy."""
        agent = self.agent_shown()
        if agent is None:
            return

        def start(form: PolicyForm, change: PolicyChange) -> None:
            def change_policy(store: Store) -> None:
                current = deleting.agent_now(store, agent)
                if change.members:
                    store.set_data_policy(current, replace(current.data_policy, **change.members))
                if change.quota_bytes is not None:
                    store.set_memory_quota(current, change.quota_bytes)

            def done(_: None) -> None:
                if form.is_attached:
                    form.dismiss()
                self.console_app.look_again()
                self.say(f"the policy of {agent.name} is set", "success")
                self.show_deed("policy", Subject(agent=agent.name, options=change.options))

            self.undertake(
                Lane.CHANGE,
                f"setting the policy of {agent.name}",
                change_policy,
                done,
                lambda error: self.failed_in(form, f"it was not set: {told(error)}"),
            )

        self.app.push_screen(PolicyForm(agent, start))
