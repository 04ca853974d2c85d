/* Every slot leads here until it is filled. Keeps all argument registers, so that the call goes on as if nothing had
 * happened: skel_front_resolve(caller, slot), then the slot again. */
    .text
    .globl skel_first_call
    .hidden skel_first_call
    .type skel_first_call, %function
#if defined(__x86_64__)
/* On the stack: slot number, return address into the caller. */
skel_first_call:
    .cfi_startproc
    .cfi_def_cfa_offset 16
    pushq %rbp
    .cfi_def_cfa_offset 24
    .cfi_offset %rbp, -24
    movq %rsp, %rbp
    .cfi_def_cfa_register %rbp
    pushq %rax
    pushq %rdi
    pushq %rsi
    pushq %rdx
    pushq %rcx
    pushq %r8
    pushq %r9
    pushq %r10
    subq $128, %rsp
    andq $-16, %rsp
    movups %xmm0, (%rsp)
    movups %xmm1, 16(%rsp)
    movups %xmm2, 32(%rsp)
    movups %xmm3, 48(%rsp)
    movups %xmm4, 64(%rsp)
    movups %xmm5, 80(%rsp)
    movups %xmm6, 96(%rsp)
    movups %xmm7, 112(%rsp)
    movq 16(%rbp), %rdi
    movq 8(%rbp), %rsi
    call skel_front_resolve
    movups (%rsp), %xmm0
    movups 16(%rsp), %xmm1
    movups 32(%rsp), %xmm2
    movups 48(%rsp), %xmm3
    movups 64(%rsp), %xmm4
    movups 80(%rsp), %xmm5
    movups 96(%rsp), %xmm6
    movups 112(%rsp), %xmm7
    leaq -64(%rbp), %rsp
    popq %r10
    popq %r9
    popq %r8
    popq %rcx
    popq %rdx
    popq %rsi
    popq %rdi
    popq %rax
    popq %rbp
    .cfi_def_cfa %rsp, 16
    popq %r11
    .cfi_def_cfa_offset 8
    pushq %rax
    leaq skel_slots(%rip), %rax
    movq (%rax,%r11,8), %r11
    popq %rax
    jmp *%r11
    .cfi_endproc
#elif defined(__aarch64__)
/* x17: slot number; x30: return address into the caller. */
skel_first_call:
    .cfi_startproc
    stp x29, x30, [sp, #-224]!
    .cfi_def_cfa_offset 224
    .cfi_offset 29, -224
    .cfi_offset 30, -216
    mov x29, sp
    stp x0, x1, [sp, #16]
    stp x2, x3, [sp, #32]
    stp x4, x5, [sp, #48]
    stp x6, x7, [sp, #64]
    stp x8, x17, [sp, #80]
    stp q0, q1, [sp, #96]
    stp q2, q3, [sp, #128]
    stp q4, q5, [sp, #160]
    stp q6, q7, [sp, #192]
    mov x0, x30
    mov x1, x17
    bl skel_front_resolve
    ldp q6, q7, [sp, #192]
    ldp q4, q5, [sp, #160]
    ldp q2, q3, [sp, #128]
    ldp q0, q1, [sp, #96]
    ldp x8, x17, [sp, #80]
    ldp x6, x7, [sp, #64]
    ldp x4, x5, [sp, #48]
    ldp x2, x3, [sp, #32]
    ldp x0, x1, [sp, #16]
    ldp x29, x30, [sp], #224
    adrp x16, skel_slots
    add x16, x16, :lo12:skel_slots
    ldr x16, [x16, x17, lsl #3]
    br x16
    .cfi_endproc
#else
#error "no jump through the slots for this processor yet"
#endif
    .size skel_first_call, .-skel_first_call
    .section .note.GNU-stack,"",%progbits
